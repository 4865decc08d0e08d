"""Claims of the reports: every table counted again, the page made again, rejects and the flow of rows added up."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from searchjev.release.files import Line, Manifest, read_document
from searchjev.release.report import TITLES, Counts, report_page
from searchjev.release.steps import STEPS
from searchjev.release.verify.claim import Check, Claim, Place


class Reports(Check):
    """Counts every row again and holds the reports against that."""

    def __init__(self, release: Path, manifest: Manifest) -> None:
        super().__init__()
        self.release, self.manifest = release, manifest
        self.counts = Counts()

    def see(self, at: Place, line: Line) -> None:
        """Count the line."""
        self.counts.add(at.split, line.row, line.sample.questions)

    def claims(self) -> list[Claim]:
        """Compare tables, manifest, page, rejects and flow."""
        report = read_document(self.release / "data_report.json")
        return [self._tables(report), self._counts(), self._page(report), self._rejects(report), self._flow(report)]

    def _tables(self, report: dict[str, Any]) -> Claim:
        found = self.counts.tables()
        odd = next((name for name in TITLES if report.get(name) != found[name]), None)
        groups = {"count": len(self.counts.groups), "sizes": self.counts.group_sizes()}
        if odd is None and report.get("groups") != groups:
            odd = "groups"
        figures = sum(len(counts) for table in found.values() for counts in table.values())
        place = None if odd is None else f"data_report.json, {odd}"
        return Claim("report", "every count of data_report.json", f"{figures:,} counted again", place)

    def _counts(self) -> Claim:
        tables = self.counts.tables()
        found = {name: tables[name].get("all", {}) for name in ("rows", "questions")}
        odd = next((name for name in found if self.manifest.counts.get(name) != found[name]), None)
        rows = ", ".join(f"{split} {count:,}" for split, count in found["rows"].items())
        return Claim("rows", "counts of the manifest", rows, None if odd is None else f"manifest.json, counts.{odd}")

    def _page(self, report: dict[str, Any]) -> Claim:
        path = self.release / "DATA_REPORT.md"
        same = path.is_file() and path.read_text(encoding="utf-8") == report_page(report)
        return Claim("page", "DATA_REPORT.md says what data_report.json says", "same" if same else "differs",
                     None if same else "DATA_REPORT.md")  # fmt: skip

    def _rejects(self, report: dict[str, Any]) -> Claim:
        reasons: Counter[str] = Counter()
        failed = None
        with (self.release / "rejects.jsonl").open("rb") as file:
            for number, line in enumerate(file, 1):
                reject = msgspec.json.decode(line, type=dict[str, str])
                reasons[f"{reject.get('step')}: {reject.get('reason')}"] += 1
                if reject.get("step") not in STEPS or not reject.get("reason") or not reject.get("where"):
                    failed = failed or f"rejects.jsonl, line {number}, step, reason or where"
        if dict(sorted(reasons.items())) != report["drops"]:
            failed = failed or "data_report.json, drops"
        return Claim("rejects", "every drop with step and reason", f"{reasons.total():,} counted", failed)

    def _flow(self, report: dict[str, Any]) -> Claim:
        steps = list(report["flow"].items())
        failed = None
        for i, (name, count) in enumerate(steps):
            follows = i == 0 or steps[i - 1][1]["kept"] == count["read"]
            if not follows or count["read"] != count["kept"] + count["dropped"]:
                failed = failed or f"data_report.json, flow.{name}"
        rows = self.counts.groups.total()
        if not steps or steps[-1][1]["kept"] != rows:
            failed = failed or "data_report.json, flow"
        return Claim("flow", "read = kept + dropped, from step to step", f"{rows:,} rows arrive", failed)
