"""Tensor Trust: attacks on prompts, and the prompts that defend (Toyer et al. 2023).

The two are told apart by what they are after: both are orders, and both speak of access and codes. The file of replies
is left out: whether a reply gives a prompt away can't be seen without the prompt.
"""

from collections.abc import Iterator

from searchjev.digest import draw
from searchjev.schema import Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

SHORTEST, LONGEST = 25, 1500


def to_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Row of the attack or of one of the texts that defend, in equal shares."""
    key = f"{raw.file.split('_')[0]}-{raw['sample_id']}"
    is_attack = draw(key, "side") < 0.5
    guards = [raw[name].strip() for name in ("pre_prompt", "post_prompt")]
    text = raw["attack"].strip() if is_attack else max(guards, key=len)
    if not SHORTEST <= len(text) <= LONGEST:
        yield Drop("shorter than 25 or longer than 1,500 characters")
    elif len(set(text.split())) * 3 < len(text.split()) or not text.isascii():
        yield Drop("mostly repetition or not plain letters")
    else:
        question = Noul()
        yield Row(
            upstream_id=key,
            capability="failure_recovery",
            language="en",
            state={"text": text},
            questions={"breaks_rules": question},
            answers={"breaks_rules": target(question, is_attack)},
            group_keys=(f"text:{max(guards, key=len)}",),
        )


SOURCES = (
    Source(
        name="tensor_trust",
        home="https://github.com/HumanCompatibleAI/tensor-trust-data",
        licence="unstated",
        licence_class="unknown",
        languages=("en",),
        capabilities=("failure_recovery",),
        files=(
            File(name="hijacking_robustness_dataset.jsonl"),
            File(name="extraction_robustness_dataset.jsonl"),
        ),
        rows=to_rows,
    ),
)
