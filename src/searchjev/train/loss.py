"""Losses of question distributions: cross-entropy plus Brier, ranked probability score for ordered levels."""

from collections.abc import Sequence

import torch
from torch import Tensor

from searchjev.models.readout import QuestionTarget


def question_losses(logits: Tensor, targets: Sequence[QuestionTarget], brier: float) -> Tensor:
    """Unweighted loss of each question, (questions,).

    noul and choice: -sum t log p + brier * sum (p - t)^2. score: -sum t log p + RPS, where RPS =
    sum over levels of (cumulative p - cumulative t)^2 / (levels - 1) (Epstein 1969).
    """
    width = logits.shape[1]
    wanted = torch.tensor([target.distribution + [0.0] * (width - len(target.distribution)) for target in targets])
    is_score = torch.tensor([target.is_score for target in targets])
    steps = torch.tensor([float(max(1, len(target.distribution) - 1)) for target in targets])
    log_p = logits.float().log_softmax(-1)
    p = log_p.exp()
    cross_entropy = -(wanted * log_p.clamp(min=-1e4)).sum(-1)
    squared = ((p - wanted) ** 2).sum(-1)
    ranked = ((p.cumsum(-1) - wanted.cumsum(-1)) ** 2).sum(-1) / steps
    return cross_entropy + torch.where(is_score, ranked, brier * squared)


def weighted_sum(losses: Tensor, targets: Sequence[QuestionTarget]) -> Tensor:
    """Sum of weight x loss; the caller divides by a constant of the run, never by the batch's own weights."""
    return (losses * torch.tensor([target.weight for target in targets])).sum()
