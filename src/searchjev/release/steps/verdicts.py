"""Why questions leave after all rows were looked at: one code each, so that a verdict is one byte a question."""

from searchjev.release.steps import duplicates

STAYS = 0
VERDICTS: dict[int, tuple[str, str]] = {code: (duplicates.STEP, reason) for code, reason in duplicates.REASONS.items()}
"""Step and reason of each code."""
