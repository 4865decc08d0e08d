"""Texts with one emotion: GoEmotions (English comments), SMP2020-EWECT (Weibo posts), CPED (Chinese dialogues)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from searchjev.digest import draw
from searchjev.recipes.choices import few_of
from searchjev.schema import Choice, Language, Noul, State, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

GOEMOTIONS: tuple[str, ...] = (
    "admiration", "amusement", "anger", "annoyance", "approval", "caring", "confusion", "curiosity", "desire",
    "disappointment", "disapproval", "disgust", "embarrassment", "excitement", "fear", "gratitude", "grief", "joy",
    "love", "nervousness", "optimism", "pride", "realization", "relief", "remorse", "sadness", "surprise",
)  # fmt: skip
EWECT: Mapping[str, str] = {"0": "无明显情绪", "1": "愤怒", "2": "开心", "3": "悲伤", "4": "恐惧", "5": "惊讶"}
CPED: Mapping[str, str] = {
    "neutral": "平静", "anger": "愤怒", "depress": "沮丧", "worried": "担忧", "relaxed": "放松", "happy": "高兴",
    "astonished": "惊讶", "disgust": "厌恶", "sadness": "悲伤", "fear": "害怕", "grateful": "感激",
}  # fmt: skip
POSITIVE = frozenset("admiration amusement approval caring excitement gratitude joy love optimism pride relief".split())
NEGATIVE = frozenset(
    "anger annoyance disappointment disapproval disgust fear grief nervousness remorse sadness".split()
)
SHARE = 0.5
TONE_SHARE = 0.75
NEUTRAL_SHARE = 0.4
TURNS_BEFORE = 4


def emotion_row(
    state: State,
    gold: str,
    names: Sequence[str],
    raw: Raw,
    *,
    upstream_id: str,
    language: Language,
    keys: tuple[str, ...],
) -> Row:
    """Ask for the emotion among some of the names."""
    question = Choice(dict.fromkeys(few_of(names, gold, min(6, len(names)), 10, "emotion", upstream_id)))
    return Row(
        upstream_id=upstream_id,
        capability="emotion",
        language=language,
        state=state,
        questions={"emotion": question},
        answers={"emotion": target(question, gold)},
        split=raw.split,
        group_keys=keys,
    )


def unquoted(text: str) -> str:
    """Text of a cell without the quotes that a spreadsheet put around it."""
    text = text.strip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        text = text[1:-1].replace('""', '"')
    return " ".join(text.split())


def goemotions_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Which of 6 to 10 emotions, for half of the comments; of another quarter whether the tone is positive."""
    text, gold, row_id = unquoted(raw["text"]), raw["label"], f"{raw.file}-{raw.line}"
    if gold not in GOEMOTIONS or not text:
        yield Drop("no text or no emotion")
    elif (at := draw("goemotions", row_id)) >= SHARE:
        toned = at < TONE_SHARE and gold in POSITIVE | NEGATIVE
        yield tone_row(text, gold in POSITIVE, raw, row_id) if toned else Drop("not drawn")
    else:
        yield emotion_row(
            {"message": text}, gold, GOEMOTIONS, raw, upstream_id=row_id, language="en", keys=(f"text:{text}",)
        )


def tone_row(text: str, positive: bool, raw: Raw, row_id: str) -> Row:
    """Ask whether the tone is positive, by the side on which the emotion stands."""
    question = Noul()
    return Row(
        upstream_id=row_id,
        capability="sentiment_binary",
        language="en",
        state={"message": text},
        questions={"tone": question},
        answers={"tone": target(question, positive)},
        tier="derived",
        origin="derived",
        split=raw.split,
        group_keys=(f"text:{text}",),
    )


def ewect_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Which of six emotions; labels are numbers as republished."""
    text, gold = raw["text_a"].strip(), EWECT.get(raw["label"])
    if gold is None or not text:
        yield Drop("no text or no emotion")
    else:
        yield emotion_row(
            {"message": text}, gold, list(EWECT.values()), raw, upstream_id=f"{raw.file}-{raw.line}", language="zh",
            keys=(f"text:{text}",),
        )  # fmt: skip


def cped_rows(found: Files) -> Rows:
    """Emotion of a line, with up to four lines before it; calm lines are thinned, "other" classes left out."""
    dialogues: dict[str, list[tuple[str, dict[str, str]]]] = defaultdict(list)
    for raw in found.read("valid_split.csv"):
        turn = {"role": raw["Speaker"], "text": raw["Utterance"].strip()}
        dialogues[raw["Dialogue_ID"]].append((raw["Utterance_ID"], turn))

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        gold, text = CPED.get(raw["Emotion"]), raw["Utterance"].strip()
        turns, line_id = dialogues[raw["Dialogue_ID"]], raw["Utterance_ID"]
        if gold is None or not text:
            yield Drop("class without meaning" if text else "empty text")
        elif raw["Emotion"] == "neutral" and draw("cped", line_id) >= NEUTRAL_SHARE:
            yield Drop("not drawn")
        else:
            place = next(i for i, (found_id, _) in enumerate(turns) if found_id == line_id)
            before = [turn for _, turn in turns[max(0, place - TURNS_BEFORE) : place]]
            state = {"utterance": f"{raw['Speaker']}：{text}", **({"dialogue": before} if before else {})}
            yield emotion_row(
                state, gold, list(CPED.values()), raw, upstream_id=line_id, language="zh",
                keys=(f"cped:{raw['Dialogue_ID']}",),
            )  # fmt: skip

    return rows


SOURCES = (
    Source(
        name="goemotions", home="https://github.com/google-research/google-research/tree/master/goemotions",
        licence="Apache-2.0", licence_class="open", languages=("en",), capabilities=("emotion", "sentiment_binary"),
        rows=goemotions_rows,
        files=(
            File(name="train.tsv", reader="tsv", split="train"),
            File(name="dev.tsv", reader="tsv", split="val"),
            File(name="test.tsv", reader="tsv", split="test"),
        ),
    ),
    Source(
        name="smp2020_ewect", home="https://smp2020ewect.github.io", licence="evaluation data, terms not stated",
        licence_class="unknown", languages=("zh",), capabilities=("emotion",), rows=ewect_rows, held_out="test",
        files=(File(name="dev.tsv", reader="tsv"),),
    ),
    Source(
        name="cped", home="https://github.com/scutcyr/CPED", licence="Apache-2.0 (repository)",
        licence_class="research", languages=("zh",), capabilities=("emotion",), prepare=cped_rows,
        files=(File(name="valid_split.csv", reader="csv"),),
    ),
)  # fmt: skip
