"""Questions and answers: what the wire's numbers mean, and what is refused."""

import msgspec
import pytest

from searchjev.errors import DataError
from searchjev.schema import (
    BUCKETS,
    CAPABILITIES,
    Choice,
    ChoiceAnswer,
    Noul,
    NoulAnswer,
    Question,
    Sample,
    Score,
    ScoreAnswer,
    Sides,
    answer_from,
    check_answer,
    check_question,
    choice_confidence,
    question_type,
    score_confidence,
    target,
    width,
)

CHOICE = Choice({"a": None, "A": "big", " a": {"text": "with a space"}}, "Which?")
SCORE = Score(["low", "fair", "high"])


def test_there_are_38_capabilities_in_8_buckets():
    assert len(CAPABILITIES) == 38 and set(CAPABILITIES.values()) == set(BUCKETS)


@pytest.mark.parametrize("question", [Noul("x", Sides("yes", None)), Noul(), CHOICE, SCORE, Choice({"": None})])
def test_questions_survive_json(question):
    data = msgspec.json.encode(question)
    assert msgspec.json.decode(data, type=Question) == question
    assert msgspec.json.decode(data)["type"] == question_type(question)


def test_a_sample_with_an_unknown_field_is_refused():
    sample = Sample("s", {"q": CHOICE}, {"q": target(CHOICE, "a")}, 3)
    data = msgspec.json.encode(sample)
    assert msgspec.json.decode(data, type=Sample) == sample
    with pytest.raises(msgspec.ValidationError, match="extra"):
        msgspec.json.decode(data[:-1] + b',"extra":1}', type=Sample)


def test_names_of_options_are_kept_byte_for_byte():
    answer = answer_from(CHOICE, [0.2, 0.5, 0.3])
    assert list(answer.probabilities) == ["a", "A", " a"] and answer.choice == "A"


@pytest.mark.parametrize(("question", "outcomes"), [(Noul("x"), 2), (CHOICE, 3), (SCORE, 3), (Score(["only"]), 1)])
def test_width(question, outcomes):
    assert width(question) == outcomes


# confidence


@pytest.mark.parametrize(
    ("probabilities", "confidence"),
    [([1.0], 1.0), ([0.5, 0.5], 0.0), ([1.0, 0.0], 1.0), ([0.88, 0.07, 0.05], 0.82), ([1 / 255] * 255, 0.0)],
)
def test_choice_confidence(probabilities, confidence):
    assert choice_confidence(probabilities) == pytest.approx(confidence, abs=1e-9)


@pytest.mark.parametrize(
    ("probabilities", "confidence"),
    [
        ([1.0], 1.0), ([0.0, 0.95, 0.05], 0.925), ([0.5, 0.4, 0.1], 0.1), ([1, 0, 0], 1.0), ([1 / 3] * 3, 0.0),
        ([0.5, 0.0, 0.5], 0.0), ([0.1] * 10, 0.0), ([0.5, 0.5], 0.0),
    ],
)  # fmt: skip
def test_score_confidence(probabilities, confidence):
    assert score_confidence(probabilities) == pytest.approx(confidence, abs=1e-9)


def test_confidence_stays_within_0_and_1_when_rounding_does_not():
    assert choice_confidence([0.1 + 0.2, 0.3, 0.4]) >= 0 and choice_confidence([1.0000000000000002, 0]) == 1.0


# answers


def test_answers_follow_from_probabilities():
    assert answer_from(Noul("x"), [0.7, 0.3]) == NoulAnswer(0.7)
    score = answer_from(SCORE, [0.0, 0.95, 0.05])
    assert score.score == pytest.approx(1.05) and list(score.probabilities) == ["0", "1", "2"]
    assert answer_from(Choice({"only": None}), [1.0]) == ChoiceAnswer("only", 1.0, {"only": 1.0})
    for question, probabilities in ((Noul(), [0.7, 0.3]), (CHOICE, [0.2, 0.5, 0.3]), (SCORE, [0.2, 0.5, 0.3])):
        assert answer_from(question, probabilities).distribution == pytest.approx(probabilities)


def test_the_number_of_probabilities_must_fit():
    with pytest.raises(ValueError):
        answer_from(CHOICE, [0.5, 0.5])


@pytest.mark.parametrize(
    ("question", "gold", "distribution"),
    [
        (Noul(), True, [1, 0]), (Noul(), False, [0, 1]), (Noul(), 0.25, [0.25, 0.75]), (CHOICE, "A", [0, 1, 0]),
        (CHOICE, {"a": 3, " a": 1}, [0.75, 0, 0.25]), (SCORE, 2, [0, 0, 1]), (SCORE, {0: 1, 1: 1}, [0.5, 0.5, 0]),
    ],
)  # fmt: skip
def test_targets(question, gold, distribution):
    answer = target(question, gold)
    assert answer.distribution == pytest.approx(distribution)
    check_answer(question, answer, "here")


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        (Noul(), 1.5), (Noul(), "yes"), (Noul(), {"true": 1}), (CHOICE, "b"), (CHOICE, {}), (CHOICE, {"a": -1, "A": 2}),
        (SCORE, 3), (SCORE, {"high": 1}), (SCORE, {0: 0}), (Noul(), float("nan")), (SCORE, {0: float("nan"), 1: 1}),
    ],
)  # fmt: skip
def test_a_gold_outside_the_criteria_is_refused(question, gold):
    with pytest.raises(DataError, match="expected"):
        target(question, gold)


# checks


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Choice({}), "q.criteria: 0 options, expected 1 to 255"),
        (Choice(dict.fromkeys(map(str, range(256)))), "q.criteria: 256 options"),
        (Score([]), "q.criteria: 0 levels, expected 1 to 10"),
        (Score(["x"] * 11), "q.criteria: 11 levels"),
    ],
)
def test_numbers_of_outcomes_are_limited(question, message):
    with pytest.raises(DataError, match=message):
        check_question(question, "q")


def test_the_limits_themselves_are_fine():
    check_question(Choice(dict.fromkeys(map(str, range(255)))), "q")
    check_question(Score(["x"] * 10), "q")
    check_question(Noul(), "q")


@pytest.mark.parametrize(
    ("question", "answer", "message"),
    [
        (CHOICE, NoulAnswer(0.5), "q: noul answer to a choice question"),
        (Noul(), NoulAnswer(1.1), "q.noul: 1.1, expected 0 to 1"),
        (Noul(), NoulAnswer(float("nan")), "q.noul: nan"),
        (CHOICE, ChoiceAnswer("a", 1.0, {"a": 1.0}), "q.probabilities: keys"),
        (CHOICE, ChoiceAnswer("a", 1.0, {"A": 0.0, "a": 1.0, " a": 0.0}), "q.probabilities: keys"),
        (CHOICE, ChoiceAnswer("a", 1.0, {"a": 0.5, "A": 0.0, " a": 0.0}), "sum to 1"),
        (CHOICE, ChoiceAnswer("a", 1.0, {"a": 1.5, "A": -0.5, " a": 0.0}), "non-negative"),
        (CHOICE, ChoiceAnswer("b", 1.0, {"a": 1.0, "A": 0.0, " a": 0.0}), "q.choice: 'b' is none of"),
        (SCORE, ScoreAnswer(0.0, 1.0, {"low": 1.0, "fair": 0.0, "high": 0.0}), "q.probabilities: keys"),
        (SCORE, ScoreAnswer(0.0, 1.0, {"0": float("nan"), "1": 0.5, "2": 0.5}), "sum to 1"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(question, answer, message):
    with pytest.raises(DataError, match=message):
        check_answer(question, answer, "q")
