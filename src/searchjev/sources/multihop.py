"""HotpotQA, 2WikiMultihopQA and MuSiQue: multi-hop questions with their supporting pages, as search decisions."""

import html
import re
from collections.abc import Iterator
from typing import Any

from searchjev.digest import pick, shuffled
from searchjev.recipes.hops import Hop, Page, Problem, plain, rows, window
from searchjev.source import Drop, File, Raw, Row, Source

CAPABILITIES = (
    "evidence_sufficiency_state",
    "marginal_gain",
    "next_query",
    "query_fit",
    "retrieval_gain",
    "serp_select",
    "stop_boundary",
)
MIN_DISTRACTORS = 4
RELATIONS = ("place of birth", "date of birth", "country", "spouse", "occupation", "publication date", "award received")
FORMS = ("{0} {1}", "{1} of {0}", "What is the {1} of {0}?", "{0} - {1}")
_REFERENCE = re.compile(r"#(\d+)")


def context_pairs(context: Any) -> list[tuple[str, list[str]]]:  # noqa: ANN401 - two published shapes
    """Title and sentences of each page, from the original lists or the re-exported object of lists."""
    if isinstance(context, dict):
        return list(zip(context["title"], context["sentences"], strict=True))
    return [(title, sentences) for title, sentences in context or []]


def fact_pairs(facts: Any) -> list[tuple[str, int]]:  # noqa: ANN401 - two published shapes
    """Title and sentence number of each supporting fact, from either published shape."""
    if isinstance(facts, dict):
        return list(zip(facts["title"], facts["sent_id"], strict=True))
    return [(title, number) for title, number in facts or []]


def pages_of(value: Any, gap: str) -> tuple[Page, ...]:  # noqa: ANN401
    """Pages of a HotpotQA-like record that have text; `gap` is what joins their sentences."""
    facts = fact_pairs(value.get("supporting_facts"))
    pages = []
    for title, sentences in context_pairs(value.get("context")):
        numbers = [n for name, n in facts if name == title]
        focus = max((n for n in numbers if n < len(sentences)), default=pick((0, 0, 0, 1, 1, 2), title))
        texts = tuple(sentence if i == 0 else gap + sentence for i, sentence in enumerate(sentences))
        if "".join(texts).strip():
            pages.append(Page(html.unescape(title), texts, focus))
    return tuple(pages)


def needed_of(value: Any, pages: tuple[Page, ...]) -> tuple[int, ...]:  # noqa: ANN401
    """Places of the supporting pages in the order of the facts; empty when one of them has no page."""
    titles = [page.title for page in pages]
    names = list(dict.fromkeys(html.unescape(name) for name, _ in fact_pairs(value.get("supporting_facts"))))
    return tuple(titles.index(name) for name in names) if all(name in titles for name in names) else ()


def checked(problem: Problem) -> Iterator[Row | Drop]:
    """Rows of a problem that has two or more needed pages and enough others."""
    if len(problem.needed) < 2:
        yield Drop("fewer than two supporting pages")
    elif len(problem.distractors) < MIN_DISTRACTORS:
        yield Drop("too few other pages")
    else:
        yield from rows(problem)


def hotpotqa_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one HotpotQA question; sentences carry their own leading space."""
    record_id = raw.get("_id") or raw.get("id")
    if not record_id or not raw.get("answer"):
        yield Drop("no id or answer")
        return
    pages = pages_of(raw.value, "")
    needed = needed_of(raw.value, pages)
    yield from checked(
        Problem(
            "hotpotqa", record_id, raw["question"].strip(), raw["answer"], pages, needed,
            split=raw.split, tie=f"hotpotqa-{record_id}",
        )
    )  # fmt: skip


def triple_hops(value: Any, pages: tuple[Page, ...], needed: tuple[int, ...]) -> tuple[Hop, ...]:  # noqa: ANN401
    """Hops of the reasoning triples, each on the supporting page of its place; none where they don't match."""
    triples = value.get("evidences") or []
    if len(triples) != len(needed):
        return ()
    form = pick(FORMS, value["_id"])
    away = shuffled([page.title for i, page in enumerate(pages) if i not in needed], value["_id"])[:2]
    used = {relation for _, relation, _ in triples}
    hops = []
    for place, (subject, relation, _) in zip(needed, triples, strict=True):
        free = [name for name in RELATIONS if name not in used]
        wrong = [(subject, pick(free, value["_id"], subject)), *((plain(title), relation) for title in away)]
        others = tuple(form.format(*pair) for pair in wrong)
        hops.append(Hop(form.format(plain(subject), relation), place, others))
    return tuple(hops)


def less_stubs(pages: tuple[Page, ...], needed: tuple[int, ...]) -> tuple[Page, ...]:
    """Pages less the shortest others: supporting pages are longer than stubs, and length must not tell them apart."""
    titles = [pages[i].title for i in needed]
    others = sorted((page for page in pages if page.title not in titles), key=lambda page: -len(window(page)))
    kept = {page.title for page in others[: MIN_DISTRACTORS + 1]}
    return tuple(page for page in pages if page.title in titles or page.title in kept)


def two_wiki_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one 2WikiMultihopQA question; model-made fields of the carrying repository are not read."""
    if not raw.get("context"):
        yield Drop("no paragraphs")
        return
    pages = pages_of(raw.value, " ")
    pages = less_stubs(pages, needed_of(raw.value, pages))
    needed = needed_of(raw.value, pages)
    hops = triple_hops(raw.value, pages, needed) if raw["type"] != "inference" else ()
    yield from checked(
        Problem("2wikimultihopqa", raw["_id"], raw["question"], raw["answer"], pages, needed, hops, raw.split)
    )


def sentences_of(text: str) -> tuple[str, ...]:
    """Sentences of a paragraph, each with its leading space."""
    return tuple(re.split(r"(?<=[.!?])(?=\s+[A-Z\"'`])", text))


def resolved(step: Any, answers: list[str], place: int | None = None, other: str = "") -> str:  # noqa: ANN401
    """Sub-question with earlier answers filled in; `other` stands for the answer of `place` instead."""

    def fill(match: re.Match[str]) -> str:
        number = int(match[1]) - 1
        return other if number == place else answers[number] if number < len(answers) else match[0]

    return _REFERENCE.sub(fill, step["question"]).replace(" >> ", " ").strip()


def musique_hops(value: Any, needed_titles: list[str]) -> tuple[Hop, ...]:  # noqa: ANN401
    """Hops of the decomposition; distractor queries put another page's title in the place of a reference."""
    steps = value["question_decomposition"]
    answers = [step["answer"] for step in steps]
    titles = {p["title"] for p in value["paragraphs"]} - set(needed_titles) - set(answers)
    away = shuffled(sorted(titles), value["id"])[:3]
    hops = []
    for i, step in enumerate(steps):
        reference = _REFERENCE.search(step["question"])
        place = int(reference[1]) - 1 if reference else None
        others = tuple(resolved(step, answers, place, title) for title in away) if reference else ()
        hops.append(Hop(resolved(step, answers[:i]), step["paragraph_support_idx"], others))
    return tuple(hops)


def musique_page(paragraph: Any, answer: str | None) -> Page:  # noqa: ANN401
    """Page of a paragraph; what matters is the first sentence with the step's answer, or the whole paragraph."""
    sentences = sentences_of(paragraph["paragraph_text"])
    if answer is None:
        return Page(paragraph["title"], sentences, pick((0, 0, 1, 2, len(sentences) - 1), paragraph["title"]))
    holding = (i for i, sentence in enumerate(sentences) if answer.lower() in sentence.lower())
    return Page(paragraph["title"], sentences, next(holding, len(sentences) - 1))


def musique_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Rows of one MuSiQue question; paragraphs are keyed by place, for titles repeat."""
    steps = raw.get("question_decomposition")
    if not steps or any(step.get("paragraph_support_idx") is None for step in steps):
        yield Drop("no decomposition")
        return
    needed = tuple(dict.fromkeys(step["paragraph_support_idx"] for step in steps))
    answers = {step["paragraph_support_idx"]: step["answer"] for step in steps}
    pages = tuple(musique_page(p, answers.get(i)) for i, p in enumerate(raw["paragraphs"]))
    hops = musique_hops(raw.value, [pages[i].title for i in needed])
    yield from checked(Problem("musique", raw["id"], raw["question"], raw["answer"], pages, needed, hops, raw.split))


SOURCES = (
    Source(
        name="hotpotqa", home="https://hotpotqa.github.io", licence="CC-BY-SA-4.0", licence_class="open",
        languages=("en",), capabilities=CAPABILITIES,
        files=(
            File(name="hotpot_train_part1.json", reader="json", split="train"),
            File(name="hotpot_train_part2.json", reader="json", split="train"),
            File(name="hotpot_rpt_train.jsonl", split="train"),
            File(name="hotpot_rpt_dev.jsonl", split="val"),
            File(name="hotpot_dev_distractor_part.jsonl", split="val"),
            File(name="hotpot_rpt_test.jsonl", split="test"),
        ),
        rows=hotpotqa_rows,
    ),
    Source(
        name="hotpotqa_3", home="https://hotpotqa.github.io", licence="CC-BY-SA-4.0", licence_class="open",
        languages=("en",), capabilities=CAPABILITIES, rows=hotpotqa_rows,
        files=(File(name="hotpotqa_sample.json", reader="json", split="val"),),
        note="another sample of HotpotQA's dev set; ids keep its questions together with those of hotpotqa",
    ),
    Source(
        name="2wikimultihopqa", home="https://github.com/Alab-NII/2wikimultihop", licence="Apache-2.0",
        licence_class="open", languages=("en",), capabilities=CAPABILITIES,
        files=(
            File(name="wikihop_train_preprocess.json", reader="json", split="train"),
            File(name="wikihop_dev_200.jsonl", split="val"),
        ),
        rows=two_wiki_rows,
    ),
    Source(
        name="musique", home="https://github.com/StonyBrookNLP/musique", licence="CC-BY-4.0", licence_class="open",
        languages=("en",), capabilities=CAPABILITIES, held_out="test",
        files=(
            File(name="musique_train_100.json", reader="json", split="train"),
            File(name="musique_dev_200.jsonl", split="val"),
        ),
        rows=musique_rows,
    ),
)  # fmt: skip
