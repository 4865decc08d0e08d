"""LogiQA: reasoning questions of civil service exams, in Chinese and in an English translation of the same items."""

import re
from collections.abc import Iterator
from functools import partial

from searchjev.recipes.choices import choice_of
from searchjev.schema import Language
from searchjev.source import Drop, File, Raw, Row, Source

LETTERS = "ABCD"
NUMBERED = re.compile(r"^\d{1,3}\s*[.．、]\s*")
LETTERED = re.compile(r"^[A-Da-d]\s*[.．,，、:：。?？]?\s*")
DOTTED = re.compile(r"^[A-Da-d]\s*[.．,，、:：。?？]\s*")
CROSS_REFERENCE = re.compile(
    r"(?:语句|选项)\s*[A-D]|[A-D]\s*项|以上(?:都|各|皆|均|选项|说法)|the above|options? [A-D]\b"
)
SAME_ITEM = {"zh_eval.txt": "eval", "zh_test.txt": "test", "Eval.txt": "eval", "Test.txt": "test"}


def options_by_letter(lines: list[str]) -> list[str]:
    """Option texts in the order A to D: by their own letters where all four are there, else by their place."""
    letters = [line.strip()[:1].upper() for line in lines]
    if sorted(letters) == list(LETTERS):
        texts = [LETTERED.sub("", line.strip(), count=1) for line in lines]
        by_letter = dict(zip(letters, texts, strict=True))
        return [by_letter[letter] for letter in LETTERS]
    return [DOTTED.sub("", line.strip(), count=1) for line in lines]


def block_row(lines: list[str], language: Language, raw: Raw, number: int) -> Row | Drop:
    """Row of one item: answer letter, context, question, four options."""
    if len(lines) != 7 or lines[0].strip().upper() not in LETTERS:
        return Drop("not an item of seven lines")
    options = options_by_letter(lines[3:])
    if len(set(options)) < 4 or not all(options):
        return Drop("repeated or empty options")
    if any(CROSS_REFERENCE.search(option) for option in options):
        return Drop("an option speaks of other options")
    context, asked = (NUMBERED.sub("", line.strip()) for line in lines[1:3])
    item = f"{SAME_ITEM[raw.file]}-{number}"
    question, gold = choice_of(options, LETTERS.index(lines[0].strip().upper()), "logiqa", item)
    return Row(
        upstream_id=item,
        capability="logic_mc",
        language=language,
        state={"question": asked, "passage": context},
        questions={"answer": question},
        answers={"answer": gold},
        split=raw.split,
        group_keys=(f"logiqa:{item}", f"text:{context}"),
    )


def file_rows(language: Language, raw: Raw) -> Iterator[Row | Drop]:
    """Rows of all items of a file; the items of both languages stand in the same order."""
    for number, block in enumerate(re.split(r"\n\s*\n", raw.value.replace("\r", "").strip("\n "))):
        yield block_row(block.split("\n"), language, raw, number)


SOURCES = (
    Source(
        name="logiqa_zh", home="https://github.com/lgw863/LogiQA-dataset", licence="not stated",
        licence_class="unknown", languages=("zh",), capabilities=("logic_mc",), rows=partial(file_rows, "zh"),
        files=(File(name="zh_eval.txt", reader="text"), File(name="zh_test.txt", reader="text", split="test")),
    ),
    Source(
        name="logiqa_en", home="https://github.com/lgw863/LogiQA-dataset", licence="not stated",
        licence_class="unknown", languages=("en",), capabilities=("logic_mc",), rows=partial(file_rows, "en"),
        files=(File(name="Eval.txt", reader="text"), File(name="Test.txt", reader="text", split="test")),
    ),
)  # fmt: skip
