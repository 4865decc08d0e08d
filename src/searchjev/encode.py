"""Prompts to the span encoder's input: token ids, positions, and who sees whom. numpy only, shared by training and use.

One row is `[CLS] state [SEP]` followed by blocks `question [SEP] option [SEP] option [SEP] ...`. State tokens see the
state; a question's tokens see the state and themselves; an option's see the state, its question and themselves. A
question's positions go on after the state, every option starts where its question ends: order cannot matter. Options
and questions that don't fit into one row go to a further row with the same state; that changes nothing either.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from searchjev.errors import ArtifactError, TooLongError
from searchjev.prompt import option_texts, question_text, state_parts
from searchjev.schema import Question, State

CLS, PAD, SEP = 0, 1, 2
STATE, NONE = -1, -2
"""Values in Row.question: a state token; padding."""

STATE_POSITIONS, QUESTION_POSITIONS, POSITIONS = 384, 448, 512
"""A longer state's positions are shared by neighbouring tokens so that it ends here; likewise questions and options."""

BLOCK_TOKENS = 1024
"""Tokens of questions and options in one row; more go to a further row."""

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Block(NamedTuple):
    """One question's tokens and its options' tokens, each with its closing [SEP]."""

    question: list[int]
    options: list[list[int]]


class Request(NamedTuple):
    """A state's parts and its questions as tokens."""

    parts: list[list[int]]
    blocks: list[Block]

    @property
    def state_tokens(self) -> int:
        """Tokens of the state with [CLS] and [SEP]."""
        return sum(map(len, self.parts)) + 2


class Row(NamedTuple):
    """One model row: token arrays of equal length, and the block that each option belongs to."""

    ids: list[int]
    position: list[int]
    question: list[int]
    option: list[int]
    part: list[int]
    question_of_option: list[int]


class Batch(NamedTuple):
    """Padded rows as the model takes them.

    ids, position: (rows, tokens); mask: (rows, 1, tokens, tokens), 0 where a token sees another, -10,000 elsewhere;
    option_pool, question_pool: (rows, options, tokens) and part_pool: (rows, parts, tokens), rows of mean weights;
    has_part: (rows, parts), 1 where the part exists.
    """

    ids: Ints
    position: Ints
    mask: Floats
    option_pool: Floats
    question_pool: Floats
    part_pool: Floats
    has_part: Floats


class TextEncoder:
    """The bundle's tokenizer without special tokens: control words inside a text stay text."""

    def __init__(self, path: Path) -> None:
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ArtifactError(f"{path}: no tokenizer ({error}); copy the bundle again") from None
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text."""
        encoded = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [item.ids for item in encoded]


def tokenise(encoder: TextEncoder, state: State, questions: Mapping[str, Question]) -> Request:
    """Tokens of a state and its questions, blocks in the order of the questions."""
    parts = state_parts(state)
    texts, widths = list(parts), []
    for question in questions.values():
        options = option_texts(question)
        widths.append(len(options))
        texts += [question_text(question), *options]
    ids = iter(encoder(texts))
    part_ids = [next(ids) for _ in parts]
    blocks = [Block([*next(ids), SEP], [[*next(ids), SEP] for _ in range(width)]) for width in widths]
    return Request(part_ids, blocks)


def check_length(request: Request, names: Sequence[str], limit: int) -> int:
    """Tokens that the longest question needs (state, question, longest option); TooLongError over the limit."""
    needed = 0
    for name, block in zip(names, request.blocks, strict=True):
        tokens = request.state_tokens + len(block.question) + max(map(len, block.options))
        if tokens > limit:
            raise TooLongError(
                f"questions.{name}: state {request.state_tokens}, question {len(block.question)} and longest option "
                f"{max(map(len, block.options))} are {tokens} tokens, the model reads {limit}; shorten the state or "
                "ask about fewer passages",
                tokens=tokens,
                limit=limit,
            )
        needed = max(needed, tokens)
    return needed


def rows_of(request: Request, block_tokens: int = BLOCK_TOKENS) -> list[Row]:
    """Rows that hold all options of all questions in order; a row repeats the state and, where needed, a question."""
    rows: list[Row] = []
    builder = _RowBuilder(request.parts)
    for block in request.blocks:
        builder.begin(block.question)
        for option in block.options:
            if builder.used and builder.used + len(option) > block_tokens:
                rows.append(builder.row())
                builder = _RowBuilder(request.parts)
                builder.begin(block.question)
            builder.add(option)
    rows.append(builder.row())
    return rows


class _RowBuilder:
    def __init__(self, parts: list[list[int]]) -> None:
        self.ids = [CLS, *(token for part in parts for token in part), SEP]
        self.part = [-1, *(n for n, part in enumerate(parts) for _ in part), -1]
        self.position = _positions(0, len(self.ids), STATE_POSITIONS)
        self.question = [STATE] * len(self.ids)
        self.option = [-1] * len(self.ids)
        self.question_of_option: list[int] = []
        self.start = min(len(self.ids), STATE_POSITIONS)
        self.questions = self.used = 0

    def begin(self, question: list[int]) -> None:
        self._append(question, _positions(self.start, len(question), QUESTION_POSITIONS), -1, self.questions)
        self.option_start = min(self.start + len(question), QUESTION_POSITIONS)
        self.questions += 1

    def add(self, option: list[int]) -> None:
        self._append(
            option,
            _positions(self.option_start, len(option), POSITIONS),
            len(self.question_of_option),
            self.questions - 1,
        )
        self.question_of_option.append(self.questions - 1)
        self.used += len(option)

    def _append(self, ids: list[int], position: list[int], option: int, question: int) -> None:
        self.ids += ids
        self.position += position
        self.option += [option] * len(ids)
        self.question += [question] * len(ids)
        self.part += [-1] * len(ids)

    def row(self) -> Row:
        return Row(self.ids, self.position, self.question, self.option, self.part, self.question_of_option)


def _positions(start: int, count: int, end: int) -> list[int]:
    room = end - start
    if count <= room:
        return list(range(start, start + count))
    return [start + i * room // count for i in range(count)]


def collate(rows: Sequence[Row], multiple: int = 1) -> Batch:
    """Pad rows to one length (a multiple of `multiple`) and lay out masks and pools."""
    width = -(-max(len(row.ids) for row in rows) // multiple) * multiple
    ids, position = _padded([row.ids for row in rows], width, PAD), _padded([row.position for row in rows], width, 0)
    question, option = (
        _padded([row.question for row in rows], width, NONE),
        _padded([row.option for row in rows], width, -1),
    )
    part = _padded([row.part for row in rows], width, -1)
    option_count = max(len(row.question_of_option) for row in rows)
    part_count = max(2, *(max(row.part) + 1 for row in rows)) if len(rows) > 1 else max(2, max(rows[0].part) + 1)
    question_of_option = _padded([row.question_of_option for row in rows], option_count, NONE)
    is_question = np.where(option < 0, question, NONE)
    part_pool = _mean_weights(part[:, None, :] == np.arange(part_count)[None, :, None])
    return Batch(
        ids=ids,
        position=position,
        mask=_mask(question, option),
        option_pool=_mean_weights(option[:, None, :] == np.arange(option_count)[None, :, None]),
        question_pool=_mean_weights(
            (is_question[:, None, :] == question_of_option[:, :, None]) & (question_of_option[:, :, None] >= 0)
        ),
        part_pool=part_pool,
        has_part=(part_pool.sum(-1) > 0).astype(np.float32),
    )


def _mask(question: Ints, option: Ints) -> Floats:
    seen_question, seen_option = question[:, None, :], option[:, None, :]
    same_question = seen_question == question[:, :, None]
    allowed = (seen_question == STATE) | (same_question & ((seen_option < 0) | (seen_option == option[:, :, None])))
    mask: Floats = np.where(allowed, np.float32(0), np.float32(-1e4))[:, None]
    return mask


def _mean_weights(member: npt.NDArray[np.bool_]) -> Floats:
    weights = member.astype(np.float32)
    weights /= np.maximum(weights.sum(-1, keepdims=True), 1)
    return weights


def _padded(lists: Sequence[Sequence[int]], width: int, fill: int) -> Ints:
    out = np.full((len(lists), width), fill, np.int64)
    for row, values in zip(out, lists, strict=True):
        row[: len(values)] = values
    return out
