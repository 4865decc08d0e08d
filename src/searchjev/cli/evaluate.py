"""Measure a bundle on a release, beside the majority and word-overlap baselines."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Bundle, release and what to take of it."""
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="bundle folder")
    parser.add_argument("release", type=Path, metavar="RELEASE", help="release directory")
    parser.add_argument("--split", choices=("test", "val"), default="test", help="split (default: %(default)s)")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N questions, balanced over sources")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of evaluation.json and EVALUATION.md")


def run(args: argparse.Namespace) -> int:
    """Print the main table; write both files where --out says."""
    import json

    from searchjev.decide import SearchJev
    from searchjev.evaluate.report import evaluate, page, readme_table

    model = SearchJev.load(args.bundle)
    report = evaluate(model, args.release, args.split, args.limit)
    report = {"model": f"{model.info.name} {model.info.version}", "calibration": model.calibration.id, **report}
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "evaluation.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        (args.out / "EVALUATION.md").write_text(page(report, report["model"]), encoding="utf-8")
    print(readme_table(report))
    return 0
