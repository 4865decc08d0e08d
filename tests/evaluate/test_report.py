from typing import ClassVar

import pytest

from searchjev.errors import TooLongError
from searchjev.evaluate.baselines import Majority, Overlap
from searchjev.evaluate.cases import balanced, cases_of, read_cases
from searchjev.evaluate.predict import predict
from searchjev.evaluate.report import evaluate, page, readme_table
from searchjev.release.files import Line
from searchjev.schema import Noul, Sample, answer_from, target
from tests import tiny


class Oracle:
    """Answers the toy rows rightly, except that it finds states with "page 3" too long."""

    sure: ClassVar[float] = 0.8

    def decide_many(self, requests):
        if any("page 3 " in str(state) for state, _ in requests):
            raise TooLongError("too long", tokens=9, limit=1)
        return [{name: self._answer(state, name, q) for name, q in questions.items()} for state, questions in requests]

    def _answer(self, state, name, question):
        gold = {
            "north": 0 if "north" in state["evidence"][0] else 1,
            "which": 0 if "north" in state["evidence"][0] else 1,
            "rank": state["evidence"][2].count("yes") - 1,
        }[name]
        k = 2 if name == "north" else 3
        return answer_from(question, [self.sure if i == gold else (1 - self.sure) / (k - 1) for i in range(k)])


def test_the_oracle_is_right_and_honest_figures_say_so(toy_release):
    report = evaluate(Oracle(), toy_release)
    everything = report["in_distribution"]["all"]["all"]
    assert report["cases"] == 36 and report["too_long"] == 3 and everything["n"] == 33
    assert everything["accuracy"] == 1.0 and everything["ece"] == pytest.approx(0.2)
    assert 0.3 < everything["majority"] < 0.7 and everything["accuracy_95"] == [1.0, 1.0]
    assert report["held_out"]["all"] == {}


def test_the_page_shows_what_clears_the_baselines(toy_release):
    report = evaluate(Oracle(), toy_release)
    text = page(report, "toy 1")
    assert "| A | 33 | **1.000** |" in readme_table(report) and "3 too long" in text


def test_one_long_state_does_not_cost_its_neighbours(toy_release):
    cases = read_cases(toy_release, "test")
    found = predict(Oracle(), cases)
    assert [answer is None for answer in found] == ["page 3 " in str(case.state) for case in cases]


def test_a_limit_is_balanced_and_stable(toy_release):
    cases = read_cases(toy_release, "train")
    assert [c.row.sample_id for c in balanced(cases, 7)] == [c.row.sample_id for c in balanced(cases[::-1], 7)]
    assert len(read_cases(toy_release, "train", 7)) == 7


def case(state, question, gold, number=0):
    sample = Sample(state, {"q": question}, {"q": target(question, gold)}, 1)
    line = Line(sample, tiny.index_row(number, sample, split="train"))
    return cases_of(line)[0]


def test_majority_counts_names_not_places():
    train = [case("s", Noul("x?"), n > 1, n) for n in range(10)]
    majority = Majority(train)
    assert majority.predict(train[0])[0] == pytest.approx(0.8, abs=0.01)


def test_overlap_learns_its_threshold_and_direction():
    same = [
        ({"query": "red car park", "other": "red car park"}, True),
        ({"query": "红色的车", "other": "红色的车"}, True),
    ]
    other = [({"query": "red car park", "other": "blue sky"}, False), ({"query": "红色的车", "other": "天很蓝"}, False)]
    for turned in (False, True):
        train = [case(s, Noul("x?"), gold != turned, n) for n, (s, gold) in enumerate((same + other) * 3)]
        overlap = Overlap(train)
        assert all(overlap.predict(c)[c.gold] == 1.0 for c in train)
