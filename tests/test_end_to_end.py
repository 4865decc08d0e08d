"""From a release to answers: train, export, load, decide, on toy rows and a random encoder."""

import msgspec
import pytest

torch = pytest.importorskip("torch", reason="training tests need the train extra: pip install 'searchjev[train]'")
pytest.importorskip("onnx", reason="training tests need the train extra")

from searchjev import SearchJev  # noqa: E402
from searchjev.cli.main import main  # noqa: E402
from searchjev.models import write_bundle as writer  # noqa: E402
from searchjev.release.reader import read_lines  # noqa: E402
from searchjev.source import File, Source  # noqa: E402

CONFIG = """
release = "{release}"
out = "{out}"
steps = 150
tokens = 1200
lr = 3e-3
head_lr = 3e-3
precision = "fp32"
validate_every = 75
validate_rows = 6

[span]
tokenizer = "{tokenizer}"
random_layers = 2
vocabulary = 200
freeze_words = false
"""


@pytest.fixture(scope="module")
def bundle(toy_release, tokenizer_path, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    config = folder / "toy.toml"
    config.write_text(CONFIG.format(release=toy_release, out=folder / "out", tokenizer=tokenizer_path.parent))
    toy = Source(
        name="toy", home="-", licence="-", licence_class="open", languages=("en",), capabilities=("marginal_gain",),
        files=(File(name="toy.jsonl"),),
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "all_sources", lambda: {"toy": toy})
        assert main(["train", str(config)]) == 0
        assert main(["export", str(folder / "out"), "--name", "toy"]) == 0
    return folder / "out" / "bundle"


def test_the_bundle_answers_what_the_rows_taught(bundle, toy_release):
    model = SearchJev.load(bundle)
    lines = list(read_lines(toy_release, "test"))
    answers = model.decide_many([(line.sample.state, line.sample.questions) for line in lines])
    right = [
        (found["north"].noul > 0.5) == (line.sample.answers["north"].noul > 0.5)
        for line, found in zip(lines, answers, strict=True)
    ]
    assert sum(right) >= 0.8 * len(right)


def test_the_card_says_what_it_was_trained_on(bundle):
    card = (bundle / "MODEL_CARD.md").read_text()
    assert "| toy | en | open |" in card and "research use" in card
    info = msgspec.json.decode((bundle / "bundle.json").read_bytes())
    assert info["name"] == "toy" and info["max_tokens"] == 2048


def test_exporting_against_another_release_is_refused(bundle, toy_release, capsys):
    manifest = toy_release / "manifest.json"
    before = manifest.read_bytes()
    manifest.write_bytes(before + b"\n")
    try:
        assert main(["export", str(bundle.parent)]) == 2
    finally:
        manifest.write_bytes(before)
    assert "not the release that" in capsys.readouterr().err
