"""Claims about weights: each in its range, and the shares of training loss that they realise."""

from collections import defaultdict
from pathlib import Path

from searchjev.release.files import Line, Manifest, read_document
from searchjev.release.verify.claim import Check, Claim, Place

TOLERANCE = 1e-6
MOST_WEIGHT = 2.0


class Weights(Check):
    """Weights lie in their ranges; with the multipliers they give every bucket its share of the loss."""

    name, stated = "weights", "0 < loss_weight <= 2, 0 < row_loss_scale <= 1 / questions"

    def __init__(self, release: Path, manifest: Manifest) -> None:
        super().__init__()
        self.release, self.manifest = release, manifest
        self.totals: defaultdict[str, float] = defaultdict(float)

    def see(self, at: Place, line: Line) -> None:
        """Check the line's weights, and add them to its bucket where it trains."""
        row = line.row
        for name, weight in row.loss_weight.items():
            self.expect(0 < weight <= MOST_WEIGHT, at.in_index(f"loss_weight.{name}"))
        most = 1 / max(1, len(row.loss_weight))
        self.expect(0 < row.row_loss_scale <= most + TOLERANCE, at.in_index("row_loss_scale"))
        if at.split == "train":
            self.totals[row.decision_bucket] += sum(row.loss_weight.values()) * row.row_loss_scale

    def claims(self) -> list[Claim]:
        """Return the ranges, the multipliers and the shares."""
        budget = read_document(self.release / "budget.json")
        return [*super().claims(), self._multipliers(budget), *self._shares(budget)]

    def _multipliers(self, budget: dict[str, dict[str, float]]) -> Claim:
        training = read_document(self.release / "training_config.json")["bucket_multiplier"]
        stated = self.manifest.bucket_multiplier
        odd = {"budget.json, multiplier": budget["multiplier"], "training_config.json, bucket_multiplier": training}
        failed = next((where for where, value in odd.items() if value != stated), None)
        found = ", ".join(f"{bucket} {value:.3f}" for bucket, value in stated.items())
        return Claim("multipliers", "manifest, budget and training config agree", found, failed)

    def _shares(self, budget: dict[str, dict[str, float]]) -> list[Claim]:
        mass = {b: self.manifest.bucket_multiplier.get(b, 0.0) * total for b, total in self.totals.items()}
        whole = sum(mass.values()) or 1.0
        claims = []
        for bucket, wanted in budget["target"].items():
            found, stated = mass.get(bucket, 0.0) / whole, budget["realised"].get(bucket, 0.0)
            misses = abs(found - wanted) > TOLERANCE and not budget["capped"]
            failed = abs(found - stated) > TOLERANCE or misses
            capped = ", capped" if bucket in budget["capped"] else ""
            claims.append(
                Claim(
                    f"loss share of {bucket}",
                    f"{stated:.2%} (wanted {wanted:.2%}{capped})",
                    f"{found:.2%}",
                    f"budget.json, realised.{bucket}" if failed else None,
                )
            )
        return claims
