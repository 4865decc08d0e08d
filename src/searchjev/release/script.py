"""Which script the letters of a state are written in: a guess at its language that needs no model."""

import re
from collections.abc import Iterator
from typing import Any

from searchjev.schema import State

MOST = 0.7
_CHINESE = re.compile("[\u4e00-\u9fff]+")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def script(state: State) -> str:
    """Script that most letters of a state belong to: zh, latin or other; mixed where none has 70 %."""
    text = "".join(texts_of(state))
    chinese, latin, letters = (sum(map(len, pattern.findall(text))) for pattern in (_CHINESE, _LATIN, _LETTERS))
    other = letters - chinese - latin
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
