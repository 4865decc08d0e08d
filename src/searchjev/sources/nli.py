"""Natural language inference: OCNLI, CMNLI and a translated SNLI in Chinese, SICK in English."""

from collections import Counter
from collections.abc import Iterator, Mapping

from searchjev.digest import draw
from searchjev.schema import Answer, Choice, Language, Noul, Question, target
from searchjev.source import Drop, File, Raw, Row, Source

LABELS = ("entailment", "neutral", "contradiction")
FOLLOWS_SHARE = 0.4
FEWEST_VOTES = 3
SICK_SHARE = 0.4


def nli_row(premise: str, hypothesis: str, gold: Mapping[str, float], raw: Raw, row_id: str, language: Language) -> Row:
    """Ask whether the premise supports, leaves open or contradicts the hypothesis; of a share, if it follows."""
    relation = Choice(dict.fromkeys(LABELS))
    total = sum(gold.values())
    hard = next((name for name, weight in gold.items() if weight == total), None)
    questions: dict[str, Question] = {"nli": relation}
    answers: dict[str, Answer] = {"nli": target(relation, hard or gold)}
    if draw("follows", premise, hypothesis) < FOLLOWS_SHARE:
        questions["follows"] = Noul()
        answers["follows"] = target(Noul(), gold.get("entailment", 0.0) / total)
    return Row(
        upstream_id=row_id,
        capability="nli",
        language=language,
        state={"premise": premise, "hypothesis": hypothesis},
        questions=questions,
        answers=answers,
        split=raw.split,
        group_keys=(f"text:{premise}", f"text:{hypothesis}") if language == "en" else (f"text:{premise}",),
    )


def ocnli_rows(raw: Raw) -> Iterator[Row | Drop]:
    """OCNLI: the annotators' spread where at least three voted, else the one label; "-" means no majority."""
    votes = Counter(vote for n in range(5) if (vote := raw.get(f"label{n}")) in LABELS)
    if votes.total() < FEWEST_VOTES:
        votes = Counter([raw["label"]] if raw["label"] in LABELS else [])
    if not votes or not raw["sentence1"].strip() or not raw["sentence2"].strip():
        yield Drop("no label or empty text")
        return
    gold = {name: float(votes[name]) for name in LABELS if votes[name]}
    row_id = f"{raw.file.partition('.')[0]}-{raw['id']}"
    yield nli_row(raw["sentence1"].strip(), raw["sentence2"].strip(), gold, raw, row_id, "zh")


def tab_rows(raw: Raw) -> Iterator[Row | Drop]:
    """`premise TAB hypothesis TAB label`."""
    cells = raw.value
    if len(cells) != 3 or cells[2] not in LABELS or not cells[0].strip() or not cells[1].strip():
        yield Drop("not two texts and a label")
    else:
        yield nli_row(cells[0].strip(), cells[1].strip(), {cells[2]: 1.0}, raw, f"{raw.file}-{raw.line}", "zh")


def sick_rows(raw: Raw) -> Iterator[Row | Drop]:
    """SICK: majority judgements; the sentences recur in many pairs, so both are group keys."""
    label = raw["entailment_judgment"].strip().lower()
    premise, hypothesis = raw["sentence_A"].strip(), raw["sentence_B"].strip()
    if label not in LABELS or not premise or not hypothesis:
        yield Drop("no label or empty text")
    elif draw("sick_2014", raw["pair_ID"]) >= SICK_SHARE:
        yield Drop("not drawn")
    else:
        yield nli_row(premise, hypothesis, {label: 1.0}, raw, raw["pair_ID"], "en")


SOURCES = (
    Source(
        name="ocnli", home="https://github.com/CLUEbenchmark/OCNLI", licence="CC-BY-NC-2.0", licence_class="research",
        languages=("zh",), capabilities=("nli",), rows=ocnli_rows,
        files=(File(name="train.10k.json", split="train"), File(name="dev.json")),
    ),
    Source(
        name="cmnli", home="https://www.cluebenchmarks.com", licence="CLUE, research use", licence_class="research",
        languages=("zh",), capabilities=("nli",), rows=tab_rows, files=(File(name="dev.txt", reader="tsv_plain"),),
    ),
    Source(
        name="chinese_snli", home="https://github.com/zejunwang1/CSTS",
        licence="SNLI CC-BY-SA-4.0, translation unstated", licence_class="research", languages=("zh",),
        capabilities=("nli",), rows=tab_rows, held_out="test", files=(File(name="dev.txt", reader="tsv_plain"),),
    ),
    Source(
        name="sick_2014", home="https://alt.qcri.org/semeval2014/task1", licence="CC-BY-NC-SA-3.0",
        licence_class="research", languages=("en",), capabilities=("nli",), rows=sick_rows, held_out="val",
        files=(File(name="SICK_train.txt", reader="tsv"), File(name="SICK_test_annotated.txt", reader="tsv")),
    ),
)  # fmt: skip
