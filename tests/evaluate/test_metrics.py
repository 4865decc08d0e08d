import math

import numpy as np
import pytest

from searchjev.evaluate.bootstrap import group_interval
from searchjev.evaluate.metrics import brier, ece, figures, hit, nll, rps


def test_figures_by_hand():
    assert nll([0.5, 0.25, 0.25], [0, 1, 0]) == pytest.approx(math.log(4))
    assert nll([0.5, 0.5], [0.5, 0.5]) == pytest.approx(math.log(2))
    assert brier([0.7, 0.2, 0.1], [1, 0, 0]) == pytest.approx(0.09 + 0.04 + 0.01)
    assert rps([0, 1, 0], [1, 0, 0]) == pytest.approx(0.5)
    assert rps([0, 0, 1], [1, 0, 0]) == pytest.approx(1.0)
    assert rps([1.0], [1.0]) == 0.0


def test_ties_share_the_hit():
    assert hit([0.4, 0.4, 0.1, 0.1], [0, 1, 0, 0]) == 0.5
    assert hit([0.25] * 4, [1, 0, 0, 0]) == 0.25
    assert hit([0.4, 0.39, 0.21], [0, 1, 0]) == 0.0


def test_a_probability_of_zero_costs_much_but_not_everything():
    assert math.isfinite(nll([1.0, 0.0], [0.0, 1.0]))


@pytest.mark.parametrize(
    ("confidence", "hits", "expected"),
    [
        ([1.0, 0.95], [0, 1], abs(1.95 / 2 - 0.5)),
        ([0.0], [1], 1.0),
        ([0.0, 1.0, 0.5], [0, 1, 1], 0.5 / 3),
        ([0.1, 0.2, 0.3], [0, 0, 1], (0.1 + 0.2 + 0.7) / 3),
    ],
)
def test_ece_counts_the_edges_once(confidence, hits, expected):
    assert ece(confidence, hits, bins=10) == pytest.approx(expected)


def test_ece_of_the_honest_is_small_and_of_the_boaster_large():
    generator = np.random.default_rng(1)
    p = generator.uniform(0.5, 1, 20_000)
    right = (generator.uniform(size=20_000) < p).astype(float)
    assert ece(p, right) < 0.02
    assert ece(np.ones(20_000), right) == pytest.approx(1 - right.mean())


def test_figures_are_pooled_and_scores_have_their_own():
    found = figures([[0.9, 0.1], [0.2, 0.8], [0.1, 0.2, 0.7]], [[1, 0], [1, 0], [0, 1, 0]], [False, False, True])
    assert found.n == 3 and found.accuracy == pytest.approx(1 / 3)
    assert found.mae == pytest.approx(0.6) and found.rps == pytest.approx((0.1**2 + 0.7**2) / 2)
    assert figures([[0.9, 0.1]], [[1, 0]], [False]).rps is None


def test_intervals_resample_groups_not_rows():
    hits = [1.0] * 100 + [0.0] * 100
    groups = [f"g{i // 20}" for i in range(200)]
    interval = group_interval(hits, groups, resamples=2000)
    assert interval is not None and interval.groups == 10 and interval.high - interval.low >= 0.5
    rows = group_interval(hits, [str(i) for i in range(200)], resamples=2000)
    assert rows is not None and rows.high - rows.low < 0.2
    assert group_interval(hits, ["one"] * 200) is None
