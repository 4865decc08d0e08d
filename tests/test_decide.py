"""The bundled model: what must hold whatever its weights say."""

import itertools
import threading

import pytest

from searchjev import Choice, DataError, Noul, Score, SearchJev, TooLongError

STATE = {
    "question": "Who directed the film that Ed Wood is about?",
    "evidence": ["Ed Wood is a 1994 American biographical film.", "Tim Burton directed Ed Wood."],
}
QUESTIONS = {
    "enough": Noul("Is the evidence enough to answer the question?"),
    "next": Choice(
        {"answer": "give the answer", "search": "search again", "open": "open another page", "ask": None}, "What next?"
    ),
    "how": Score(["not at all", "partly", "fully"], "How well does the evidence answer the question?"),
}
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def model() -> SearchJev:
    return SearchJev.load()


def close(first, second):
    assert first.keys() == second.keys()
    for name in first:
        assert first[name].distribution == pytest.approx(second[name].distribution, abs=TOLERANCE)


def test_answers_are_distributions(model):
    answers = model.decide(STATE, QUESTIONS)
    assert list(answers) == list(QUESTIONS)
    for answer in answers.values():
        assert sum(answer.distribution) == pytest.approx(1) and min(answer.distribution) >= 0


def test_order_of_options_changes_nothing(model):
    criteria = QUESTIONS["next"].criteria
    base = model.decide(STATE, {"q": Choice(criteria, "What next?")})["q"].probabilities
    for order in itertools.permutations(criteria):
        turned = model.decide(STATE, {"q": Choice({name: criteria[name] for name in order}, "What next?")})["q"]
        assert turned.probabilities == pytest.approx(base, abs=TOLERANCE)


def test_ids_and_other_questions_change_nothing(model):
    together = model.decide(STATE, QUESTIONS)
    close({name: model.decide(STATE, {name: question})[name] for name, question in QUESTIONS.items()}, together)
    renamed = model.decide(STATE, {f"是 {name}": question for name, question in reversed(QUESTIONS.items())})
    close({name: renamed[f"是 {name}"] for name in QUESTIONS}, together)


@pytest.mark.parametrize("companion", [STATE, "x", "页面 " * 300, {"query": "q", "results": ["a " * 200] * 3}])
def test_batch_neighbours_change_nothing(model, companion):
    alone = model.decide(STATE, QUESTIONS)
    close(model.decide_many([(companion, QUESTIONS)] * 3 + [(STATE, QUESTIONS)])[-1], alone)


def test_many_options_and_their_order(model):
    names = [f"topic {i}" for i in range(255)]
    straight = model.decide("river and city", {"q": Choice(dict.fromkeys(names), "Which topic?")})["q"].probabilities
    back = model.decide("river and city", {"q": Choice(dict.fromkeys(names[::-1]), "Which topic?")})["q"].probabilities
    assert straight == pytest.approx(back, abs=TOLERANCE) and len(straight) == 255


def test_threads_get_their_own_answers(model):
    states = [f"page {i} is about river {i % 3}" for i in range(12)]
    expected = [model.decide(state, QUESTIONS) for state in states]
    found = [None] * len(states)

    def ask(i):
        found[i] = model.decide(states[i], QUESTIONS)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(states))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for first, second in zip(expected, found, strict=True):
        close(first, second)


def test_over_long_is_refused_with_counts(model):
    with pytest.raises(TooLongError, match=r"questions\.enough: state \d+.*the model reads 2048") as caught:
        model.decide("word " * 3000, QUESTIONS)
    assert caught.value.limit == 2048 < caught.value.tokens


def test_a_long_state_within_the_limit_is_answered(model):
    assert 0 <= model.decide("word " * 1500, {"q": Noul("is it?")})["q"].noul <= 1


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Choice({}), r"questions\.bad\.criteria: 0 options, expected 1 to 255"),
        (Choice({str(i): None for i in range(256)}), r"questions\.bad\.criteria: 256 options"),
        (Score(["x"] * 11), r"questions\.bad\.criteria: 11 levels, expected 1 to 10"),
    ],
)
def test_a_bad_question_is_named(model, question, message):
    with pytest.raises(DataError, match=message):
        model.decide(STATE, {"good": Noul("ok?"), "bad": question})


def test_edges_of_states_and_questions(model):
    for state in ("", {}, [], {"a": [{}], "b": None, "c": [1, 2.5, True]}, "‮\u0000🙂"):
        answers = model.decide(state, {"n": Noul(), "one": Choice({"only": None}), "level": Score(["only"])})
        assert answers["one"].probabilities == {"only": 1.0} and answers["level"].score == 0.0
    assert model.decide(STATE, {}) == {} and model.decide_many([]) == []
