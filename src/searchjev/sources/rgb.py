"""RGB: questions about the news with passages that hold the answer and noise that does not (Chen et al. 2023).

The Chinese part has whole passages, the English one the snippets of a search engine, some of them also with a wrong
answer planted in place of the right one.
"""

import re
from collections.abc import Iterator

from searchjev.digest import draw, pick, shuffled
from searchjev.recipes.hops import Page, Problem, enough, marginal, retrieval, select, stop
from searchjev.schema import Language, Noul, target
from searchjev.source import Drop, File, Raw, Row, Source

MIN_NOISE = {"zh": 5, "en": 4}
MOST_NOISE = 8
MAX_CHARS = 320
SHOWN = 3
_SPACE = re.compile(r"\s+")
_END = re.compile(r"(?<=[。！？])")
_WORD = re.compile(r"[a-z0-9]+")
_COMMON = frozenset("a an and at by for from in of on the to was with".split())
HOPS = ("evidence_sufficiency_state", "marginal_gain", "retrieval_gain", "serp_select", "stop_boundary")


def page_of(text: str, answers: list[str] | None = None) -> Page:
    """Untitled page of a passage; what matters is its first sentence with an answer."""
    sentences = tuple(part for part in _END.split(_SPACE.sub(" ", text).strip()) if part)
    holding = [i for i, part in enumerate(sentences) if any(answer in part for answer in answers or ())]
    last = len(sentences) - 1
    return Page("", sentences, holding[0] if holding else last if answers else pick((0, 1, last), text))


def flat(answer: object) -> list[str]:
    """Every accepted answer of a value that is a string, a list or a list of lists."""
    return [text for item in answer for text in flat(item)] if isinstance(answer, list) else [str(answer)]


def usable(passages: list[str]) -> list[str]:
    """Passages that are neither fragments nor whole articles."""
    return [text for text in dict.fromkeys(passages) if 30 <= len(text) <= MAX_CHARS]


def holding(passages: list[str], answers: list[str]) -> list[str]:
    """Passages that hold at least half of the answers word for word: others only hint at them."""
    return [text for text in passages if 2 * sum(answer in text for answer in answers) >= len(answers)]


def zh_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one Chinese question; a question in parts needs a passage for each part."""
    record_id = f"{raw.file.removesuffix('.json')}-{raw['id']}"
    parts = raw["positive"] if raw["positive"] and isinstance(raw["positive"][0], list) else [raw["positive"]]
    answers = [flat(raw[key]) for key in ("asnwer1", "answer2") if raw.get(key)]
    if len(answers) != len(parts):
        answers = [flat(raw["answer"])] * len(parts)
    found = [holding(usable(part), accepted) for part, accepted in zip(parts, answers, strict=True)]
    noise = [text for text in usable(raw["negative"]) if not any(answer in text for answer in flat(raw["answer"]))]
    if fault := fault_of(found, noise, "zh"):
        yield fault
        return
    held = [page_of(pick(part, record_id, str(i)), answers[i]) for i, part in enumerate(found)]
    away = [page_of(text) for text in shuffled(noise, record_id)[:MOST_NOISE]]
    yield from problem_rows(raw, "zh", record_id, held, away)


def fault_of(found: list[list[str]], noise: list[str], language: Language) -> Drop | None:
    """Why these passages make no problem, or None."""
    if not all(found):
        return Drop("no usable passage with the answer")
    return Drop("too few usable noise passages") if len(noise) < MIN_NOISE[language] else None


def problem_rows(raw: Raw, language: Language, record_id: str, held: list[Page], away: list[Page]) -> Iterator[Row]:
    """Rows about what was found: one page for each part of the question, the others noise."""
    problem = Problem(
        f"rgb_{language}",
        record_id,
        raw["query"].strip(),
        flat(raw["answer"])[0],
        (*held, *away),
        tuple(range(len(held))),
        language=language,
    )
    for side in (True, False):
        yield enough(problem, complete=side)
        yield marginal(problem, useful=side)
        yield stop(problem, complete=side)
    yield retrieval(problem, complete=pick((True, False), record_id, "retrieval"))
    yield from select(problem)


def snippet_page(text: str) -> Page:
    """Snippet as a page of one sentence: where it was cut tells nothing of sentences."""
    return Page("", (_SPACE.sub(" ", text).strip(),))


def names(text: str, answers: list[str], *, whole: bool = True) -> bool:
    """Whether a text holds one of the answers, or without `whole` one of their telling words."""
    lower = text.lower()
    if whole:
        return any(re.search(rf"\b{re.escape(answer.lower())}(?!\w)", lower) for answer in answers)
    return not set(_WORD.findall(lower)).isdisjoint(word for answer in answers for word in _WORD.findall(answer))


def telling(answers: list[str], query: str) -> list[str]:
    """Words of the answers that the question lacks: noise with one of them may well hint at the answer."""
    words = {word for answer in answers for word in _WORD.findall(answer.lower())}
    return sorted(words - set(_WORD.findall(query.lower())) - _COMMON)


def en_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one English question: about what was found, and about an answer under snippets true or edited."""
    record_id, answers = f"{raw.file.removesuffix('.json')}-{raw['id']}", flat(raw["answer"])
    held = [text for text in usable(raw["positive"]) if names(text, answers)]
    words = telling(answers, raw["query"])
    noise = [text for text in usable(raw["negative"]) if not names(text, words, whole=False)]
    judged = list(correct_rows(raw, record_id, answers, held))
    yield from judged
    if fault := fault_of([held], noise, "en"):
        yield fault
    else:
        pages = [snippet_page(text) for text in shuffled(noise, record_id)[:MOST_NOISE]]
        yield from problem_rows(raw, "en", record_id, [snippet_page(pick(held, record_id))], pages)


def correct_rows(raw: Raw, record_id: str, answers: list[str], held: list[str]) -> Iterator[Row]:
    """Is a proposed answer right by the snippets? True and planted answer, each under true and edited snippets."""
    fake = str(raw["fakeanswer"])
    planted = [text for text in usable(raw["positive_wrong"]) if names(text, [fake]) and not names(text, answers)]
    true = [text for text in held if not names(text, [fake])]
    count = min(len(true), len(planted), SHOWN)
    if not count or names(fake, answers) or any(names(answer, [fake]) for answer in answers):
        return
    for name, texts, right in (("true", true, answers[0]), ("edited", planted, fake)):
        is_right = (draw(record_id, "right") < 0.5) == (name == "true")
        wrong = fake if name == "true" else answers[0]
        question, passages = Noul(), shuffled(texts, record_id, name)[:count]
        yield Row(
            upstream_id=f"{record_id}-{name}",
            capability="reading_mc",
            language="en",
            state={"question": raw["query"].strip(), "answer": right if is_right else wrong, "passages": passages},
            questions={"correct": question},
            answers={"correct": target(question, is_right)},
            tier="derived",
            origin="derived",
            mother=record_id,
            group_keys=(f"question:{record_id}",),
        )


SOURCES = (
    Source(
        name="rgb_zh",
        home="https://github.com/chen700564/RGB",
        licence="CC-BY-NC-SA-4.0",
        licence_class="research",
        languages=("zh",),
        capabilities=HOPS,
        files=(File(name="zh_refine.json"), File(name="zh_int.json")),
        rows=zh_rows,
        note="zh_fact is left out: its counterfactual passages contradict the true answer on purpose",
    ),
    Source(
        name="rgb_en",
        home="https://github.com/chen700564/RGB",
        licence="CC-BY-NC-SA-4.0",
        licence_class="research",
        languages=("en",),
        capabilities=("reading_mc", *HOPS),
        files=(File(name="en_fact.json"),),
        rows=en_rows,
        note="edited snippets are used only where the question is what the snippets say, never for what is true",
    ),
)
