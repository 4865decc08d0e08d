from typing import ClassVar

import msgspec
import pytest

from searchjev.errors import DataError, TooLongError
from searchjev.evaluate.baselines import Majority, Overlap
from searchjev.evaluate.cases import balanced, cases_of, group_digest, read_cases
from searchjev.evaluate.predict import predict
from searchjev.evaluate.report import page, readme_table
from searchjev.evaluate.run import evaluate
from searchjev.release.files import Line
from searchjev.schema import Choice, Noul, Sample, Score, answer_from, target, width
from tests import tiny


class Oracle:
    """Answers the toy rows rightly, except that it finds states with "page 3" too long."""

    sure: ClassVar[float] = 0.8

    def decide_many(self, requests):
        if any("page 3 " in str(state) for state, _ in requests):
            raise TooLongError("too long", tokens=9, limit=1)
        return [{name: self._answer(state, name, q) for name, q in questions.items()} for state, questions in requests]

    def _answer(self, state, name, question):
        if name not in ("north", "which", "rank"):
            k = width(question)
            return answer_from(question, [1 / k] * k)
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


def test_the_report_is_plain_json_with_bins_that_hold_every_case(toy_release):
    report = msgspec.json.decode(msgspec.json.encode(evaluate(Oracle(), toy_release)))
    bins = report["in_distribution"]["reliability"]
    assert sum(b["n"] for b in bins) == 33 and report["held_out"]["reliability"] == []
    everything = report["in_distribution"]["all"]["all"]
    assert everything["gain_95"][0] > 0 and everything["groups"] == 11 and everything["chance"] < 0.4


def test_rows_that_the_calibration_was_fitted_on_are_left_out(toy_release):
    cases = read_cases(toy_release, "val")
    fitted = {group_digest(case) for case in cases[:6]}
    report = evaluate(Oracle(), toy_release, "val", calibrated_on=fitted)
    assert report["calibrated_on"] == 6 and report["cases"] == len(cases)
    assert "6 left out because" in page(report, "toy")
    with pytest.raises(DataError, match="no eligible question of val"):
        evaluate(Oracle(), toy_release, "val", calibrated_on={group_digest(case) for case in cases})


@pytest.mark.parametrize("chunk", [1, 3, 7])
def test_the_chunk_changes_nothing(toy_release, chunk):
    cases = read_cases(toy_release, "test")
    assert predict(Oracle(), cases, chunk) == predict(Oracle(), cases)


def test_a_row_that_stands_twice_is_refused(tmp_path):
    release = tiny.write_release(tmp_path, train=4, val=4, test=4)
    for name in ("test.jsonl", "test_index.jsonl"):
        path = release / name
        path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(DataError, match=r"line 5: toy/test-0/marginal_gain stands twice"):
        read_cases(release, "test")


def test_questions_that_are_not_eligible_are_not_read(tmp_path):
    release = tiny.write_release(tmp_path, train=4, val=4, test=4)
    index = release / "test_index.jsonl"
    index.write_bytes(index.read_bytes().replace(b'"which":true', b'"which":false'))
    assert {case.name for case in read_cases(release, "test")} == {"north", "rank"}
    assert {case.name for case in read_cases(release, "test", 5)} == {"north", "rank"}


def test_one_long_state_does_not_cost_its_neighbours(toy_release):
    cases = read_cases(toy_release, "test")
    found = predict(Oracle(), cases)
    assert [answer is None for answer in found] == ["page 3 " in str(case.state) for case in cases]


def test_a_limit_is_balanced_and_stable(toy_release):
    cases = read_cases(toy_release, "train")
    assert [c.row.sample_id for c in balanced(cases, 7)] == [c.row.sample_id for c in balanced(cases[::-1], 7)]
    found = read_cases(toy_release, "train", 7)
    assert [(c.row.sample_id, c.name) for c in found] == [(c.row.sample_id, c.name) for c in balanced(cases, 7)]
    assert all(
        c.question == tiny.sample(int(c.row.sample_id.split("-")[1].split("/")[0])).questions[c.name] for c in found
    )


def case(state, question, gold, number=0):
    sample = Sample(state, {"q": question}, {"q": target(question, gold)}, 1)
    line = Line(sample, tiny.index_row(number, sample, split="train"))
    return cases_of(line)[0]


def test_majority_counts_names_not_places():
    train = [case("s", Noul("x?"), n > 1, n) for n in range(10)]
    majority = Majority(train)
    assert majority.predict(train[0])[0] == pytest.approx(0.8, abs=0.01)


def test_majority_asks_the_wording_then_the_question_then_the_capability():
    train = [case("s", Noul("x?"), True, n) for n in range(40)]
    train += [case("s", Noul("not x?"), False, n) for n in range(35)]
    train += [case("s", Noul("rare?"), False, n) for n in range(10)]
    majority = Majority(train)
    assert majority.predict(train[0])[0] > 0.99
    assert majority.predict(train[40])[0] < 0.01
    # ten cases of the rare wording are too few: 40 of all 85 are true
    assert majority.predict(train[-1])[0] == pytest.approx(40 / 85, abs=0.01)
    unseen = case("s", Choice({"a": None, "b": None}), "a")
    assert majority.predict(unseen) == [0.5, 0.5]


def test_overlap_puts_levels_in_order():
    states = [{"query": "red car park", "page": " ".join("red car park".split()[:n])} for n in (0, 1, 3)]
    train = [case(states[n % 3], Score(["bad", "fair", "good"]), n % 3, n) for n in range(30)]
    overlap = Overlap(train)
    assert [overlap.predict(c).index(1.0) for c in train[:3]] == [0, 1, 2]
    assert overlap.predict(case(states[0], Score(["bad", "good"]), 1)) == [0.5, 0.5]


def test_overlap_picks_the_option_that_shares_words():
    asked = case({"query": "red car park"}, Choice({"blue sky": None, "a red car": None}), "a red car")
    assert Overlap([]).predict(asked) == [0.0, 1.0]


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
