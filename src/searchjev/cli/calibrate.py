"""Fit a bundle's calibration on val rows of the release it was trained on."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Bundle, release and how much of it."""
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="bundle folder; calibration.json is written there")
    parser.add_argument("release", type=Path, metavar="RELEASE", help="the release that the bundle was trained on")
    parser.add_argument("--limit", type=int, default=4000, metavar="N", help="questions at most (default: %(default)s)")
    parser.add_argument("--any-release", action="store_true", help="allow another release than the bundle's own")


def run(args: argparse.Namespace) -> int:
    """Fit, write, and print what it did."""
    import msgspec

    from searchjev.calibrate.fit import calibrate
    from searchjev.decide import SearchJev

    model = SearchJev.load(args.bundle)
    fitted = calibrate(model, model.info, args.release, args.limit, any_release=args.any_release)
    path = args.bundle / "calibration.json"
    temporary = path.with_suffix(".part")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(fitted.calibration), indent=1) + b"\n")
    temporary.replace(path)
    for r in fitted.reports:
        print(
            f"{r.kind:<7} {r.n:>6,}  T {r.temperature:.3f}  NLL {r.nll_before:.4f} to {r.nll_after:.4f}  "
            f"ECE {r.ece_before:.4f} to {r.ece_after:.4f}" + (f"  {r.flag}" if r.flag else "")
        )
    print(f"calibration {fitted.calibration.id}: {path}")
    return 0
