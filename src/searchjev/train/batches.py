"""Batches of near-equal lengths under a token budget, fixed by seed and epoch, so that any step can be found again."""

from collections.abc import Iterator, Sequence

from searchjev.digest import digest, draw
from searchjev.models.readout import Example

POOL = 1024
"""Examples sorted by length together: little padding, yet every batch mixes sources."""


def epoch_batches(examples: Sequence[Example], tokens: int, seed: int, epoch: int) -> list[list[int]]:
    """Batches of one epoch: shuffled, sorted by length within pools, cut at `tokens` padded tokens, shuffled again.

    An example of c copies occurs floor(c) times, and once more with the probability of the rest.
    """
    copies = [i for i, example in enumerate(examples) for _ in range(_occurrences(example.copies, seed, epoch, i))]
    order = [copies[j] for j in _shuffled(len(copies), seed, epoch, "rows")]
    batches: list[list[int]] = []
    for begin in range(0, len(order), POOL):
        pool = sorted(order[begin : begin + POOL], key=lambda i: (examples[i].tokens, i))
        batches += _cut(pool, examples, tokens)
    return [batches[i] for i in _shuffled(len(batches), seed, epoch, "batches")]


def batch_stream(examples: Sequence[Example], tokens: int, seed: int, first: int) -> Iterator[list[int]]:
    """Batches without end, beginning with number `first` of the run."""
    epoch, seen = 0, 0
    while True:
        batches = epoch_batches(examples, tokens, seed, epoch)
        yield from batches[max(0, first - seen) :]
        seen += len(batches)
        epoch += 1


def _occurrences(copies: float, seed: int, epoch: int, number: int) -> int:
    whole = int(copies)
    return whole + (draw(str(seed), str(epoch), "copies", str(number)) < copies - whole)


def _shuffled(count: int, seed: int, epoch: int, what: str) -> list[int]:
    return sorted(range(count), key=lambda i: digest(str(seed), str(epoch), what, str(i)))


def _cut(pool: list[int], examples: Sequence[Example], tokens: int) -> list[list[int]]:
    batches: list[list[int]] = []
    current: list[int] = []
    for i in pool:  # ascending: the newest is the longest
        if current and (len(current) + 1) * examples[i].tokens > tokens:
            batches.append(current)
            current = []
        current.append(i)
    return [*batches, current] if current else batches
