"""Accuracy and NLL of a readout on validation examples, by question kind."""

from collections.abc import Sequence

import torch

from searchjev.models.readout import Example, Readout


def validate(readout: Readout, examples: Sequence[Example], tokens: int) -> str:
    """One line: accuracy and NLL (nats) over questions, scores apart."""
    found: dict[str, list[tuple[float, float]]] = {"choice and noul": [], "score": []}
    with torch.no_grad():
        for batch in _batches(examples, tokens):
            log_p = readout.logits(batch).float().log_softmax(-1)
            targets = [target for example in batch for target in example.targets]
            for row, target in zip(log_p, targets, strict=True):
                wanted = torch.tensor(target.distribution)
                gold = int(wanted.argmax())
                kind = "score" if target.is_score else "choice and noul"
                nll = float(-(wanted * row[: len(wanted)]).sum())
                found[kind].append((float(int(row.argmax()) == gold), nll))
    return "; ".join(_line(kind, pairs) for kind, pairs in found.items() if pairs)


def _line(kind: str, pairs: list[tuple[float, float]]) -> str:
    accuracy, nll = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    return f"{kind} {len(pairs)}: accuracy {accuracy:.3f}, NLL {nll:.3f}"


def _batches(examples: Sequence[Example], tokens: int) -> list[list[Example]]:
    batches: list[list[Example]] = []
    for example in sorted(examples, key=lambda example: example.tokens):
        if batches and (len(batches[-1]) + 1) * example.tokens <= tokens:
            batches[-1].append(example)
        else:
            batches.append([example])
    return batches
