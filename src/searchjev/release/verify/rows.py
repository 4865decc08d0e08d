"""Claims about single lines: questions, answers, gold, alignment of data and index, token counts."""

from pathlib import Path

import msgspec
from tokenizers import Tokenizer

from searchjev.digest import digest, file_sha256
from searchjev.errors import ArtifactError, DataError
from searchjev.prompt import render
from searchjev.release.files import Line, Manifest
from searchjev.release.steps.preflight import open_tokenizer, prompt_text
from searchjev.release.steps.write import gold_of
from searchjev.release.verify.claim import Check, Claim, Place
from searchjev.schema import CAPABILITIES, Answer, ChoiceAnswer, NoulAnswer, check_answer, check_question, width


class Questions(Check):
    """Every question is worded and has 2 to 255 options or 2 to 10 levels."""

    name, stated = "questions", "worded; 2..255 options, 2..10 levels"

    def see(self, at: Place, line: Line) -> None:
        """Check each question of the line."""
        if not line.sample.questions:
            self.expect(False, at.in_data("questions"))
        for name, question in line.sample.questions.items():
            try:
                check_question(question, name)
                self.expect(width(question) > 1 and bool(question.instructions), at.in_data(f"questions.{name}"))
            except DataError:
                self.expect(False, at.in_data(f"questions.{name}.criteria"))


class Answers(Check):
    """Every answer lies within its criteria, sums to 1, and its choice is a likeliest option."""

    name, stated = "answers", "inside their criteria, sum 1, likeliest chosen"

    def see(self, at: Place, line: Line) -> None:
        """Check each answer of the line."""
        if list(line.sample.answers) != list(line.sample.questions):
            self.expect(False, at.in_data("answers"))
            return
        for name, answer in line.sample.answers.items():
            try:
                check_answer(line.sample.questions[name], answer, name)
                self.expect(_is_consistent(answer), at.in_data(f"answers.{name}"))
            except DataError:
                self.expect(False, at.in_data(f"answers.{name}"))


class Alignment(Check):
    """Every index line speaks of the data line beside it: same questions, difficulty and gold."""

    name, stated = "alignment", "index line describes its data line"

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[int] = set()

    def see(self, at: Place, line: Line) -> None:
        """Compare the two lines."""
        row, sample = line.row, line.sample
        for field in ("loss_weight", "evaluation_eligible", "gold", "confidence", "teacher_reference_probability"):
            if list(getattr(row, field)) != list(sample.questions):
                self.fail(at.in_index(field))
        if list(row.token_preflight.tokens) != list(sample.questions):
            self.fail(at.in_index("token_preflight.tokens"))
        for name, answer in sample.answers.items():
            if name in row.gold and row.gold[name] != gold_of(answer):
                self.fail(at.in_index(f"gold.{name}"))
        if row.difficulty != sample.difficulty:
            self.fail(at.in_index("difficulty"))
        key = digest(row.sample_id)
        self.expect(key not in self.ids, at.in_index("sample_id"))
        self.ids.add(key)


class Taxonomy(Check):
    """Every capability is one of the 38 and lies in its bucket."""

    name, stated = "taxonomy", f"{len(CAPABILITIES)} capabilities, each in its bucket"

    def see(self, at: Place, line: Line) -> None:
        """Check the line's capability and bucket."""
        bucket = CAPABILITIES.get(line.row.capability)
        self.expect(
            bucket == line.row.decision_bucket, at.in_index("capability" if bucket is None else "decision_bucket")
        )


class Preflight(Check):
    """Every question's prompt fits the limit; counts are repeated with the tokenizer on a sample, or on all."""

    name = "preflight"
    SAMPLE = 50
    """Without `full`, one row in so many is counted again."""

    def __init__(self, manifest: Manifest, tokenizer: Path, limit: int, *, full: bool) -> None:
        super().__init__()
        self.limit, self.full = limit, full
        self.stated = f"at most {limit:,} tokens a prompt"
        self.recounted = 0
        self.why_not = _unusable(tokenizer, manifest)
        self.tokenizer: Tokenizer | None = None if self.why_not else open_tokenizer(tokenizer)

    def see(self, at: Place, line: Line) -> None:
        """Check the counts of the line, and count again where it is in the sample."""
        for name, count in line.row.token_preflight.tokens.items():
            self.expect(count <= self.limit, at.in_index(f"token_preflight.tokens.{name}"))
        if self.tokenizer is None or not (self.full or digest("recount", line.row.sample_id) % self.SAMPLE == 0):
            return
        for name, question in line.sample.questions.items():
            text = prompt_text(render(line.sample.state, question))
            count = len(self.tokenizer.encode(text, add_special_tokens=False).ids)
            self.recounted += 1
            self.expect(
                count == line.row.token_preflight.tokens.get(name), at.in_index(f"token_preflight.tokens.{name}")
            )

    def claims(self) -> list[Claim]:
        """Return the limit, and the repeated counts."""
        stated = "tokens counted again" + ("" if self.full else f" (1 row in {self.SAMPLE})")
        held = list(super().claims())
        if self.why_not:
            return [*held, Claim("token counts", stated, self.why_not, checked=False)]
        return [*held, Claim("token counts", stated, f"{self.recounted:,} counted again", self.failed_at)]


def _unusable(tokenizer: Path, manifest: Manifest) -> str | None:
    if not tokenizer.is_file():
        return f"no tokenizer at {tokenizer}; give --tokenizer"
    if file_sha256(tokenizer) != manifest.tokenizer_sha256:
        raise ArtifactError(
            f"{tokenizer}: not the tokenizer of the release ({manifest.tokenizer_sha256[:12]}...); give --tokenizer"
        )
    return None


def _is_consistent(answer: Answer) -> bool:
    if isinstance(answer, NoulAnswer):
        return True
    if isinstance(answer, ChoiceAnswer):
        return answer.probabilities[answer.choice] == max(answer.probabilities.values())
    expected = sum(int(level) * p for level, p in answer.probabilities.items())
    return abs(answer.score - expected) < 1e-6


def canonical_bytes(value: object) -> bytes:
    """JSON of a value, blind to the order of names."""
    return msgspec.json.encode(value, order="sorted")
