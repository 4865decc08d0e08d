"""A model without weights: probabilities fall with the place of an outcome."""

from types import SimpleNamespace

from searchjev.errors import TooLongError
from searchjev.schema import answer_from, check_question, width


class FakeModel:
    info = SimpleNamespace(name="fake")

    def __init__(self):
        self.asked = None

    @classmethod
    def load(cls, path=None, *, threads=None):
        return cls()

    def decide(self, state, questions):
        FakeModel.last = (state, questions)
        if len(str(state)) > 5000:
            raise TooLongError(f"questions.{next(iter(questions))}: {len(state)} tokens", tokens=5001, limit=5000)
        answers = {}
        for name, question in questions.items():
            check_question(question, f"questions.{name}")
            weights = [1 / (place + 1) for place in range(width(question))]
            answers[name] = answer_from(question, [weight / sum(weights) for weight in weights])
        return answers
