"""Dialogue turns with their rewrites as rows: a rewrite as written, or broken by rule.

A row shows a turn's own rewrite, the unresolved turn itself, the rewrite of another turn, or the rewrite with what was
resolved swapped for something else. Rewrites made by models are left out.
"""

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from searchjev.digest import digest, draw, pick, shuffled
from searchjev.schema import Choice, Language, Noul, State, target
from searchjev.source import Drop, Row, SplitName

LONGEST = 2400
"""Characters of dialogue above which a turn is dropped: a shorter one could lack what the rewrite resolves."""

CHOICE_SHARE = 0.3
_TOKEN = re.compile(r"[\u4e00-\u9fff]|\w+(?:'\w+)?|[^\w\s]")
_OPEN = re.compile(
    r"\b(he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|there|one|ones|else|other|others)\b"
    "|[他她它这那哪][个是里些们的]?",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:[A-Z][\w.-]+ ){0,2}[A-Z][\w.-]+")
_TWO_NAMES = re.compile(r"\b[A-Z][a-z]\w+ [A-Z][a-z]\w+\b")


class Turn(NamedTuple):
    """One turn with its dialogue so far, its rewrite, and the rewrites of other turns of the same dialogue."""

    key: str
    mother: str
    language: Language
    split: SplitName | None
    dialogue: list[dict[str, str]]
    topic: str
    said: str
    rewrite: str
    others: tuple[str, ...] = ()


def dialogue_of(texts: Sequence[str]) -> list[dict[str, str]]:
    """Turns of user and assistant in alternation, the user first."""
    return [{"role": ("user", "assistant")[i % 2], "text": text} for i, text in enumerate(texts)]


def plain(text: str) -> str:
    """Words of a text in lower case, for comparison."""
    return " ".join(_TOKEN.findall(text.lower())).rstrip(" .?!")


def resolved(said: str, rewrite: str) -> tuple[int, int] | None:
    """Start and end, within the rewrite, of the longest piece that the turn itself lacks; None when there is none."""
    old = [match.group().lower() for match in _TOKEN.finditer(said)]
    spans = [match.span() for match in _TOKEN.finditer(rewrite)]
    new = [rewrite[start:end].lower() for start, end in spans]
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    added = [(spans[j1][0], spans[j2 - 1][1]) for tag, _, _, j1, j2 in blocks if tag in ("insert", "replace")]
    start, end = max(added, key=lambda span: span[1] - span[0], default=(0, 0))
    letters = sum(character.isalnum() for character in rewrite[start:end])
    return (start, end) if letters >= (2 if re.search(r"[\u4e00-\u9fff]", rewrite) else 4) else None


class Variants(NamedTuple):
    """Broken rewrites of one turn by kind; those that can't be made are absent."""

    original: str | None
    other: str | None
    swapped: str | None

    @property
    def known(self) -> dict[str, str]:
        """Variants that could be made."""
        return {name: text for name, text in self._asdict().items() if text}


def is_name(piece: str) -> bool:
    """Whether a piece reads as a name, or in Chinese as a word or two: only those are swapped for one another."""
    return bool(_NAME.fullmatch(piece) or re.fullmatch(r"[\u4e00-\u9fff]{2,4}", piece))


def alike(first: str, second: str) -> bool:
    """Whether two texts share most of their words."""
    one, two = set(plain(first).split()), set(plain(second).split())
    return 2 * len(one & two) > len(one | two)


def swapped(turn: Turn, span: tuple[int, int], pieces: Sequence[str]) -> str | None:
    """Rewrite with its resolved name swapped for another of the dialogue, or else for a foreign one."""
    name = turn.rewrite[span[0] : span[1]]
    if not is_name(name):
        return None
    context = " ".join([turn.topic, turn.rewrite, *(item["text"] for item in turn.dialogue)])
    words = set(plain(turn.rewrite + " " + turn.topic).split())
    near = [found for found in _TWO_NAMES.findall(context) if words.isdisjoint(plain(found).split())]
    far = [piece for piece in shuffled(pieces, turn.key, "swap")[:40] if piece not in context]
    fit = [*sorted(set(near)), *(piece for piece in far if turn.language == "en" or len(piece) == len(name))]
    return turn.rewrite[: span[0]] + fit[0] + turn.rewrite[span[1] :] if fit else None


def variants_of(turn: Turn, pieces: Sequence[str]) -> Variants:
    """Broken rewrites of a turn; `pieces` are the names that other turns resolve to."""
    span = resolved(turn.said, turn.rewrite)
    unresolved = span is not None and (_OPEN.search(turn.said) is not None or turn.language == "zh")
    near = [text for text in turn.others if not alike(text, turn.rewrite) and not alike(text, turn.said)]
    other = pick(near, turn.key, "other") if near else None
    return Variants(turn.said if unresolved else None, other, swapped(turn, span, pieces) if span else None)


def state_of(turn: Turn, said: str, rewrite: str | None = None) -> State:
    """State of a turn; the query first, then what was said before it."""
    state: dict[str, Any] = {"question" if turn.language == "en" else "utterance": said}
    if turn.topic:
        state["topic"] = turn.topic
    state["dialogue"] = turn.dialogue
    return state if rewrite is None else {**state, "rewrite": rewrite}


def noul_row(turn: Turn, variants: dict[str, str]) -> Row:
    """Row about one rewrite: the turn's own in half of the rows, else a broken one."""
    broken = sorted(variants)
    kind = pick(broken, turn.key, "kind") if broken and draw(turn.key, "broken") < 0.55 else "own"
    text = variants.get(kind, turn.rewrite)
    said = turn.said
    if kind == "own" and turn.language == "zh" and draw(turn.key, "complete") < 0.3:
        said = turn.rewrite
    gold = {"complete": kind == "own"}
    if kind != "original":
        gold |= {"faithful": kind == "own"}
    if kind != "swapped":
        gold |= {"standalone": kind != "original"}
    questions = {name: Noul() for name in gold}
    return Row(
        upstream_id=turn.key,
        capability="contextual_rewrite",
        language=turn.language,
        state=state_of(turn, said, text),
        questions=dict(questions),
        answers={name: target(questions[name], gold[name]) for name in gold},
        tier="gold" if kind == "own" and said == turn.said else "derived",
        origin="native" if kind == "own" and said == turn.said else "derived",
        split=turn.split,
        mother=turn.mother,
        group_keys=(f"document:{turn.topic}",) if turn.topic else (),
    )


def choice_row(turn: Turn, variants: dict[str, str]) -> Row:
    """Row that picks the turn's own rewrite among broken ones."""
    options = list(dict.fromkeys([turn.rewrite, *variants.values()]))
    question = Choice(dict.fromkeys(shuffled(options, turn.key, "order")))
    return Row(
        upstream_id=f"{turn.key}-choice",
        capability="contextual_rewrite",
        language=turn.language,
        state=state_of(turn, turn.said),
        questions={"which_rewrite": question},
        answers={"which_rewrite": target(question, turn.rewrite)},
        tier="derived",
        origin="derived",
        split=turn.split,
        mother=turn.mother,
        group_keys=(f"document:{turn.topic}",) if turn.topic else (),
    )


def turn_rows(turn: Turn, pieces: Sequence[str]) -> Iterator[Row | Drop]:
    """One row about one rewrite of a turn, and for some turns the choice among all."""
    if not turn.said or not turn.rewrite or not turn.dialogue and not turn.topic:
        yield Drop("no turn, rewrite or dialogue")
        return
    if sum(len(item["text"]) for item in turn.dialogue) > LONGEST:
        yield Drop("dialogue longer than 2,400 characters")
        return
    variants = variants_of(turn, pieces).known
    yield noul_row(turn, variants)
    if len(variants) >= 2 and draw(turn.key, "choice") < CHOICE_SHARE:
        yield choice_row(turn, variants)


def pieces_of(pairs: Iterator[tuple[str, str]]) -> list[str]:
    """Names that the rewrites of many turns resolve to, each once, at most 400 of them."""
    found: dict[str, None] = {}
    for said, rewrite in pairs:
        span = resolved(said, rewrite)
        if span and is_name(rewrite[span[0] : span[1]]):
            found[rewrite[span[0] : span[1]]] = None
    return sorted(found, key=lambda piece: digest(piece, "piece"))[:400]
