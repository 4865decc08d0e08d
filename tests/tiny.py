"""Small real things for tests: a tokenizer, a release of a few rows, a bundle with a random model."""

from pathlib import Path

import msgspec
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from searchjev.digest import file_sha256
from searchjev.release.files import FileEntry, IndexRow, Manifest, TokenPreflight
from searchjev.schema import Choice, Noul, Sample, Score, question_type, target

NEVER = -10_000.0
WORDS = "the a is it state evidence question page result open enough new search rank city river north south yes no true"


def write_tokenizer(path: Path) -> Path:
    """A Unigram tokenizer in the base's form: four special pieces, single characters, a few words."""
    characters = sorted(
        {
            *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;?!/<>|_-[]()'\"▁你好城市河流北南证据问题是否足够新页面的"
        }
    )
    pieces = [("<s>", NEVER), ("<pad>", NEVER), ("</s>", NEVER), ("<unk>", NEVER)]
    pieces += [(character, -8.0) for character in characters] + [(f"▁{word}", -5.0) for word in WORDS.split()]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    path.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(path))
    return path


def sample(number: int) -> Sample:
    """A row whose answer follows from its state: north or south, how far, and which."""
    north = number % 2 == 0
    level = number % 3
    state = {
        "question": f"where is river {number % 7}",
        "evidence": [f"the river is {'north' if north else 'south'}", f"page {number} is new", "yes " * (level + 1)],
    }
    questions = {
        "north": Noul("is it north"),
        "which": Choice({"north": "the north", "south": None, "city": "a city"}, "which is it"),
        "rank": Score(["no", "yes", "yes yes"], "how many yes"),
    }
    gold = {"north": north, "which": "north" if north else "south", "rank": level}
    answers = {name: target(question, gold[name]) for name, question in questions.items()}
    return Sample(state=state, questions=questions, answers=answers, difficulty=3)


def index_row(number: int, row: Sample, *, split: str, source: str = "toy") -> IndexRow:
    names = list(row.questions)
    return IndexRow(
        sample_id=f"{source}/{split}-{number}/marginal_gain",
        source=source,
        input_origin="native",
        capability="marginal_gain",
        task_family="search",
        decision_bucket="A",
        training_lane="supervised",
        supervision="hard",
        weak=False,
        label_tier="gold",
        target_provenance="annotated",
        loss_weight=dict.fromkeys(names, 1.0),
        row_loss_scale=1 / len(names),
        evaluation_eligible=dict.fromkeys(names, True),
        eval_track="in_distribution",
        gold={name: _gold(row, name) for name in names},
        confidence=dict.fromkeys(names),
        teacher_reference_probability=dict.fromkeys(names),
        canonical_group=f"{split}-{number}",
        group_keys=[f"{split}-{number}"],
        language_heuristic="latin",
        difficulty=3,
        token_preflight=TokenPreflight(tokenizer="toy", prompt_version="1", tokens=dict.fromkeys(names, 30)),
    )


def _gold(row: Sample, name: str):
    answer = row.answers[name]
    if question_type(row.questions[name]) == "noul":
        return answer.noul > 0.5
    return answer.choice if question_type(row.questions[name]) == "choice" else int(answer.score)


def write_release(folder: Path, *, train: int = 40, val: int = 12, test: int = 12) -> Path:
    """A release directory with three splits and a manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for split, count in (("train", train), ("val", val), ("test", test)):
        rows = [sample(number) for number in range(count)]
        index = [index_row(number, row, split=split) for number, row in enumerate(rows)]
        for name, items in ((f"{split}.jsonl", rows), (f"{split}_index.jsonl", index)):
            path = folder / name
            path.write_bytes(b"".join(msgspec.json.encode(item) + b"\n" for item in items))
            files[name] = FileEntry(bytes=path.stat().st_size, rows=count, sha256=file_sha256(path))
    manifest = Manifest(
        format=1, name="toy", release_version="1", files=files, tokenizer_sha256="", prompt_version="1",
        config_sha256="", source_files={}, counts={}, bucket_multiplier={"A": 1.0},
    )  # fmt: skip
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return folder
