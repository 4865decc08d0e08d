import math

import numpy as np
import pytest

from searchjev.errors import DataError
from searchjev.evaluate.bootstrap import group_interval
from searchjev.evaluate.metrics import agreement, aurc, brier, coverage, ece, figures, hit, nll, reliability, rps


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
    # two annotators, one for each: neither pick is wrong, neither is right
    assert hit([0.9, 0.1], [0.5, 0.5]) == hit([0.5, 0.5], [0.5, 0.5]) == 0.5


def test_who_states_the_annotators_distribution_is_calibrated():
    wanted = [[0.7, 0.3], [0.2, 0.8], [0.5, 0.5]]
    assert agreement([0.6, 0.4], wanted[0]) == 0.7 and agreement([0.5, 0.5], wanted[0]) == 0.5
    found = figures(wanted, wanted, [False] * 3)
    assert found.ece == pytest.approx(0) and found.accuracy == pytest.approx(2.5 / 3)


def test_a_probability_of_zero_costs_much_but_not_everything():
    assert math.isfinite(nll([1.0, 0.0], [0.0, 1.0]))


@pytest.mark.parametrize(
    ("confidence", "hits", "expected"),
    [
        ([1.0, 0.95], [0, 1], abs(1.95 / 2 - 0.5)),
        ([0.0], [1], 1.0),
        ([0.0, 1.0, 0.5], [0, 1, 1], 0.5 / 3),
        ([0.1, 0.2, 0.1 + 0.2], [0, 0, 1], (0.1 + 0.2 + 0.7) / 3),
    ],
)
def test_ece_counts_the_edges_once(confidence, hits, expected):
    assert ece(confidence, hits, bins=10) == pytest.approx(expected)
    assert sum(b.n for b in reliability(confidence, hits, bins=10)) == len(hits)


def test_inner_edges_go_down():
    counts = [b.n for b in reliability([0.1, 0.2, 0.1 + 0.2, 0.3, 0.31], [1] * 5, bins=10)]
    assert counts == [1, 1, 2, 1, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, math.inf])
def test_what_is_no_probability_is_refused(bad):
    with pytest.raises(DataError, match="confidence outside"):
        ece([0.5, bad], [1, 1])


def test_what_a_gate_can_expect_by_hand():
    confidence, hits = [0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1]
    assert aurc(confidence, hits) == pytest.approx((0 + 0 + 1 / 3 + 1 / 4) / 4)
    assert coverage(confidence, hits, 0.05) == 0.5
    assert coverage(confidence, hits, 0.25) == 1.0
    assert coverage([0.9, 0.8], [0, 1], 0.05) == 0.0
    # one threshold takes both cases of 0.9, whichever stands first
    for order in ([1, 0], [0, 1]):
        assert coverage([0.9, 0.9], order, 0.05) == 0.0
        assert aurc([0.9, 0.9], order) == pytest.approx(0.5)


def test_ece_of_the_honest_is_small_and_of_the_boaster_large():
    generator = np.random.default_rng(1)
    p = generator.uniform(0.5, 1, 20_000)
    right = (generator.uniform(size=20_000) < p).astype(float)
    assert ece(p, right) < 0.02
    assert ece(np.ones(20_000), right) == pytest.approx(1 - right.mean())


def test_figures_are_pooled_and_scores_have_their_own():
    found = figures([[0.9, 0.1], [0.2, 0.8], [0.1, 0.2, 0.7]], [[1, 0], [1, 0], [0, 1, 0]], [False, False, True])
    assert found.n == 3 and found.ties == 0 and found.accuracy == pytest.approx(1 / 3)
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


def test_ties_are_counted():
    assert figures([[0.5, 0.5], [0.9, 0.1]], [[1, 0], [1, 0]], [False, False]).ties == 1


def test_a_model_with_equal_scores_is_right_by_chance_whatever_slot_is_gold():
    predicted, wanted = [[0.25] * 4] * 40, [[1, 0, 0, 0]] * 40
    assert figures(predicted, wanted, [False] * 40).accuracy == 0.25


def test_accuracy_is_pooled():
    hits = [1, 0, 1, 1, 0, 1, 1]
    assert figures([[h, 1 - h] for h in hits], [[1, 0]] * 7, [False] * 7).accuracy == pytest.approx(5 / 7)


def test_one_group_that_flips_is_no_sure_difference():
    groups = [f"g{i // 20}" for i in range(200)]
    difference = [1.0] * 20 + [0.0] * 180
    interval = group_interval(difference, groups, resamples=2000)
    assert interval is not None and interval.low <= 0 < interval.high


def test_the_order_of_rows_and_the_size_of_steps_change_no_interval(monkeypatch):
    generator = np.random.default_rng(5)
    values, groups = generator.integers(0, 2, 300).astype(float), [f"g{i % 37}" for i in range(300)]
    order = generator.permutation(300)
    first = group_interval(values, groups)
    assert first == group_interval(values[order], [groups[i] for i in order])
    monkeypatch.setattr("searchjev.evaluate.bootstrap.DRAWS_AT_ONCE", 100)
    assert first == group_interval(values, groups)
