"""Which script the letters of a state are written in: a guess at its language that needs no model."""

from collections.abc import Iterator
from typing import Any

from searchjev.schema import State

MOST = 0.7


def script(state: State) -> str:
    """Script that most letters of a state belong to: zh, latin or other; mixed where none has 70 %."""
    text = "".join(texts_of(state))
    chinese = sum("\u4e00" <= c <= "\u9fff" for c in text)
    latin = sum(c.isalpha() and c < "\u0250" for c in text)
    other = sum(c.isalpha() for c in text) - chinese - latin
    # a Chinese character carries about as much as three Latin letters
    shares = {"zh": 3.0 * chinese, "latin": float(latin), "other": float(other)}
    total = sum(shares.values())
    best = max(shares, key=lambda name: shares[name])
    if total == 0:
        return "other"
    return best if shares[best] / total >= MOST else "mixed"


def texts_of(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON tree
    """Texts of a state, without its names: those are ours and always Latin."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_of(item)
