import pytest

from searchjev.evaluate.audit import CONTRASTS, LABEL_WORDS, audit
from searchjev.evaluate.cases import cases_of
from searchjev.release.files import Line
from searchjev.schema import Choice, Noul, Sample, Score, answer_from, target, width
from tests import tiny

TRUE = {str(contrast.true) for contrast in CONTRASTS}
STATEMENTS = {contrast.statement for contrast in CONTRASTS}


class Reader:
    """Knows the probes and decides by the state and by what the options say."""

    def decide_many(self, requests):
        return [{name: answer_from(q, self._p(state, q)) for name, q in qs.items()} for state, qs in requests]

    def _p(self, state, question):
        true = 0.9 if str(state) in TRUE else 0.1
        if isinstance(question, Noul):
            return [true, 1 - true] if state else [0.5, 0.5]
        if isinstance(question, Choice) and set(question.criteria.values()) & STATEMENTS:
            return [true if text in STATEMENTS else 1 - true for text in question.criteria.values()]
        return [1 / width(question)] * width(question)


class Sayer(Reader):
    """Always takes the first slot, surely."""

    def _p(self, state, question):
        return [1.0] + [0.0] * (width(question) - 1)


class Wordy(Reader):
    """Likes the word no."""

    def _p(self, state, question):
        if isinstance(question, Choice) and "no" in question.criteria:
            return [0.9 if name == "no" else 0.1 for name in question.criteria]
        return super()._p(state, question)


def levels(picked):
    """30 items of each of five levels, with the model's picks."""
    question = Score(["a", "b", "c", "d", "e"], "how good")
    out = []
    for number in range(150):
        sample = Sample("s", {"q": question}, {"q": target(question, number % 5)}, 1)
        case = cases_of(Line(sample, tiny.index_row(number, sample, split="test")))[0]
        out.append((case, [float(i == picked(number % 5)) for i in range(5)]))
    return out


def test_who_reads_the_state_passes():
    found = audit(Reader(), levels(lambda gold: gold))
    assert found["failures"] == [] and set(found["contrast_pairs_both_right"].values()) == {1.0}
    assert len(found["contrast_pairs_both_right"]) == 1 + 2 * len(LABEL_WORDS)
    assert found["picks_by_slot"] == {"marginal_gain, score of 5": [[30, 30]] * 5}
    assert found["blank_states"][""] == 0.5


def test_who_ignores_the_state_fails_by_name():
    failures = audit(Sayer(), levels(lambda gold: 0))["failures"]
    assert "pairs noul: both members right in 0%" in failures
    assert "identical score: 1.0000 on one of 5" in failures and "identical choice: 1.0000 on one of 4" in failures
    assert failures[-3].startswith("slots: marginal_gain, score of 5, never picked: 1 (the answer 30 times), 2 (the")


@pytest.mark.parametrize("words", ["yes/no", "no/yes"])
def test_who_follows_a_label_word_fails_with_that_word_alone(words):
    found = audit(Wordy(), levels(lambda gold: gold))
    assert found["contrast_pairs_both_right"][words] == 0.0 and found["contrast_pairs_both_right"]["true/false"] == 1.0
    assert len(found["failures"]) == 2


def test_a_first_level_never_picked_is_found():
    failures = audit(Reader(), levels(lambda gold: max(1, gold)))["failures"]
    assert failures == ["slots: marginal_gain, score of 5, never picked: 0 (the answer 30 times)"]
