"""USS: dialogues with an assistant whose users' satisfaction several people rated (Sun et al. 2021).

Booking and look-up (MultiWOZ, SGD) and films to see (ReDial). CCPE's interviews are not used: their users ask for
nothing, and the votes follow their liking of a film. The Chinese part, JDDC, is not read.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from searchjev.digest import draw, pick
from searchjev.schema import Noul, Question, Score, State, target
from searchjev.source import Drop, File, Raw, Row, Source

LEVELS = ["very dissatisfied", "dissatisfied", "neither satisfied nor dissatisfied", "satisfied", "very satisfied"]
LONGEST = 2_400
"""Characters of a dialogue above which it isn't judged as a whole."""

LATEST, LATEST_CHARS = 8, 1_500
"""Turns, and their characters, that are shown where the latest turn is judged."""

PLAIN_SHARE = 0.5
"""Share kept of the dialogues whose votes are all in the middle."""

PLEASED_SHARE = 0.35
"""Share of the dialogues that pleased all which are asked plainly: few displeased anyone."""

TURN_SHARES = {"low": 1.0, "high": 0.65, "middle": 0.3}
"""Share of the dialogues of which a turn of each side is taken, where they have one."""

_MASKED = re.compile(r"@\d{4,}")
ROLES = {"USER": "user", "SYSTEM": "assistant"}


class Said(NamedTuple):
    """One turn and the votes on it, 1 to 5; the assistant's have none."""

    role: str
    text: str
    votes: tuple[int, ...]


def said_in(line: str) -> Said | None:
    """Turn of a line; None where the line is not one."""
    cells = line.split("\t")
    if len(cells) != 4 or cells[0] not in ROLES or not cells[1].strip():
        return None
    votes = [int(vote) for vote in cells[3].split(",") if vote in ("1", "2", "3", "4", "5")]
    return Said(ROLES[cells[0]], html.unescape(unquote(cells[1])).strip(), tuple(votes))


def side(votes: Sequence[int]) -> str:
    """Where most of the votes lie with none against them: high, low, in the middle, or else nowhere."""
    high, low = sum(vote > 3 for vote in votes), sum(vote < 3 for vote in votes)
    if high and low:
        return "nowhere"
    return "high" if 2 * high > len(votes) else "low" if 2 * low > len(votes) else "middle"


def vote_row(key: str, mother: str, turns: Sequence[Said], votes: Sequence[int], suffix: str) -> Row:
    """Ask how satisfied the user is; whether at all, where most votes take a side: the share of those that do."""
    questions: dict[str, Question] = {f"satisfaction{suffix}": Score([*LEVELS])}
    shares = {str(vote - 1): float(count) for vote, count in Counter(votes).items()}
    answers = {name: target(question, shares) for name, question in questions.items()}
    high, low = sum(vote > 3 for vote in votes), sum(vote < 3 for vote in votes)
    is_asked = bool(suffix) or low or draw(key, "satisfied") < PLEASED_SHARE
    if 2 * (high + low) > len(votes) and is_asked:
        questions[f"satisfied{suffix}"] = Noul()
        answers[f"satisfied{suffix}"] = target(Noul(), high / (high + low))
    state: State = {"dialogue": [{"role": turn.role, "text": turn.text} for turn in turns]}
    return Row(
        upstream_id=key,
        capability="satisfaction",
        language="en",
        state=state,
        questions=questions,
        answers=answers,
        mother=mother,
        group_keys=(f"uss:{mother}",),
        agreement={name: round(max(answer.distribution), 4) for name, answer in answers.items()},
    )


def latest(turns: Sequence[Said]) -> list[Said]:
    """Last turns that fit, at least two."""
    kept = list(turns[-LATEST:])
    while len(kept) > 2 and sum(len(turn.text) for turn in kept) > LATEST_CHARS:
        kept = kept[1:]
    return kept


def turn_rows(mother: str, turns: Sequence[Said]) -> Iterator[Row]:
    """One turn that did not please and, for some dialogues, one that did and one that did neither."""
    begun = next((i for i, turn in enumerate(turns) if turn.role == "assistant"), len(turns))
    rated = [i for i, turn in enumerate(turns) if i > begun and len(turn.votes) > 2]
    for name, share in TURN_SHARES.items():
        places = [i for i in rated if side(turns[i].votes) == name]
        if places and draw(mother, name, "turn") < share:
            place = pick(places, mother, name)
            yield vote_row(f"{mother}-{place}", mother, latest(turns[: place + 1]), turns[place].votes, "_now")


def dialogue_rows(mother: str, lines: list[str]) -> Iterator[Row | Drop]:
    """Rows of the whole dialogue and of a few of its turns; its last line holds the votes on the whole."""
    turns = [said_in(line) for line in lines]
    whole = [turn for turn in turns if turn]
    if len(whole) < len(turns) or whole[-1].text != "OVERALL" or len(whole[-1].votes) < 3 or len(whole) < 5:
        yield Drop("not a dialogue with votes")
        return
    votes, said = whole[-1].votes, whole[:-1]
    if any(_MASKED.search(turn.text) for turn in said):
        yield Drop("dialogue with a film's number in place of its name")
        return
    if sum(len(turn.text) for turn in said) > LONGEST:
        yield Drop("dialogue over 2,400 characters: not judged as a whole")
    elif set(votes) == {3} and draw(mother, "plain") >= PLAIN_SHARE:
        yield Drop("all votes in the middle: not drawn")
    else:
        yield vote_row(f"{mother}-all", mother, said, votes, "")
    yield from turn_rows(mother, said)


def rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of every dialogue of a file; blank lines part them."""
    for number, block in enumerate(filter(str.strip, str(raw.value).split("\n\n")), 1):
        yield from dialogue_rows(f"{raw.file.split('.')[0]}-{number}", block.strip("\n").split("\n"))


SOURCES = (
    Source(
        name="uss",
        home="https://github.com/sunnweiwei/user-satisfaction-simulation",
        licence="unstated",
        licence_class="unknown",
        languages=("en",),
        capabilities=("satisfaction",),
        files=tuple(File(name=f"{name}.txt", reader="text") for name in ("MWOZ", "SGD", "ReDial")),
        rows=rows,
    ),
)
