"""Measure a bundle on a release, beside the majority and word-overlap baselines."""

import argparse
import sys
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
    from searchjev.evaluate.report import page, readme_table
    from searchjev.evaluate.run import evaluate

    model = SearchJev.load(args.bundle)
    found = evaluate(model, args.release, args.split, args.limit, calibrated_on=model.calibration.groups)
    report = {"model": f"{model.info.name} {model.info.version}", "calibration": model.calibration.id, **found}
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "evaluation.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
        (args.out / "EVALUATION.md").write_text(page(report, report["model"]), "utf-8")
    print(readme_table(report))
    for failure in report["audit"]["failures"]:
        print(f"audit: {failure}", file=sys.stderr)
    return 0
