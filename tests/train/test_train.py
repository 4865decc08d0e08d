import itertools
import string

import pytest

torch = pytest.importorskip("torch", reason="training tests need the train extra: pip install 'searchjev[train]'")
pytest.importorskip("safetensors", reason="training tests need the train extra")

import msgspec  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402
from tokenizers.models import WordLevel  # noqa: E402
from tokenizers.pre_tokenizers import Whitespace  # noqa: E402

from searchjev.errors import ArtifactError  # noqa: E402
from searchjev.models.readout import QuestionTarget  # noqa: E402
from searchjev.release.reader import read_lines  # noqa: E402
from searchjev.schema import Choice  # noqa: E402
from searchjev.train.config import CausalConfig, SpanConfig, TrainConfig  # noqa: E402
from searchjev.train.loop import train  # noqa: E402
from searchjev.train.loss import question_losses, weighted_sum  # noqa: E402
from searchjev.train.optimiser import schedule  # noqa: E402
from tests import tiny  # noqa: E402


def config(toy_release, tokenizer_path, out, **changes) -> TrainConfig:
    span = SpanConfig(tokenizer=str(tokenizer_path.parent), vocabulary=200, random_layers=2, freeze_words=False)
    base = TrainConfig(
        release=str(toy_release), out=str(out), steps=6, tokens=600, checkpoint_every=2, validate_every=100,
        validate_rows=6, precision="fp32", span=span,
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


def weights(folder):
    return torch.load(folder / "checkpoint.pt", weights_only=True)["model"]


def test_a_stopped_run_resumes_to_the_same_weights(toy_release, tokenizer_path, tmp_path):
    # the schedule must not depend on where the first part ends
    flat = {"warmup": 0.0, "decay": 0.0}
    whole = train(config(toy_release, tokenizer_path, tmp_path / "flat", **flat))
    train(config(toy_release, tokenizer_path, tmp_path / "parts", steps=3, **flat))
    parts = train(config(toy_release, tokenizer_path, tmp_path / "parts", **flat))
    for name, tensor in weights(whole).items():
        assert torch.equal(tensor, weights(parts)[name]), name


def test_training_learns_the_toy_rule(toy_release, tokenizer_path, tmp_path):
    folder = train(config(toy_release, tokenizer_path, tmp_path, steps=120, lr=3e-3, head_lr=3e-3, tokens=1200))
    losses = [float(line.split(",")[2]) for line in (folder / "log.csv").read_text().splitlines()]
    assert sum(losses[-10:]) < 0.7 * sum(losses[:10])


def test_a_checkpoint_of_another_run_is_refused(toy_release, tokenizer_path, tmp_path):
    train(config(toy_release, tokenizer_path, tmp_path, steps=2))
    with pytest.raises(ArtifactError, match="other values of config fields lr"):
        train(config(toy_release, tokenizer_path, tmp_path, lr=1e-3))


def test_accumulation_equals_one_batch(toy_release, tokenizer_path, tmp_path):
    logits = torch.randn(7, 3, requires_grad=True)
    targets = [QuestionTarget([0.0, 1.0, 0.0], w, is_score=bool(n % 2)) for n, w in enumerate((1, 9, 0.5, 2, 2, 1, 3))]
    weighted_sum(question_losses(logits, targets, 0.5), targets).backward()
    whole = logits.grad.clone()
    logits.grad = None
    for begin, end in ((0, 1), (1, 5), (5, 7)):
        part = targets[begin:end]
        weighted_sum(question_losses(logits[begin:end], part, 0.5), part).backward()
    torch.testing.assert_close(logits.grad, whole)


def test_losses_by_hand():
    logits = torch.tensor([[0.0, 0.0, -1e4], [0.0, 0.0, 0.0]])
    targets = [QuestionTarget([1.0, 0.0], 1.0, is_score=False), QuestionTarget([1.0, 0.0, 0.0], 1.0, is_score=True)]
    choice, score = question_losses(logits, targets, 0.5).tolist()
    assert choice == pytest.approx(0.693147 + 0.5 * (0.25 + 0.25), abs=1e-5)
    assert score == pytest.approx(1.098612 + ((2 / 3) ** 2 + (1 / 3) ** 2) / 2, abs=1e-5)


def test_schedule_rises_stays_and_falls(toy_release, tokenizer_path, tmp_path):
    at = [schedule(step, TrainConfig(release="r", out="o", steps=100, warmup=0.1, decay=0.5)) for step in range(100)]
    assert at[0] == pytest.approx(0.1) and at[10] == at[50] == 1.0 and at[75] == pytest.approx(0.5) and at[99] == 0.02


def test_bf16_keeps_fp32_masters(toy_release, tokenizer_path, tmp_path):
    folder = train(config(toy_release, tokenizer_path, tmp_path, precision="bf16", steps=3))
    state = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert all(master.dtype == torch.float32 for master in state["optimiser"]["master"])
    assert state["model"]["layers.0.up.weight"].dtype == torch.bfloat16


# peft asks transformers by a name that transformers has since renamed
renamed = pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")


def label_tokenizer(path):
    """Words as tokens, among them 255 labels: what the label readout asks of a tokenizer."""
    letters = string.ascii_uppercase
    labels = [*letters, *("".join(pair) for pair in itertools.product(letters, repeat=2))]
    words = [*labels, *tiny.WORDS.split(), ".", ":", "Answer"]
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(["<unk>", *words])}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(path))
    return path


def causal_config(toy_release, tmp_path, **changes):
    causal = CausalConfig(tokenizer=str(label_tokenizer(tmp_path / "words.json")), random_layers=2, rank=4)
    base = TrainConfig(
        release=str(toy_release), out=str(tmp_path / "run"), readout="label_causal", steps=4, tokens=800, lr=1e-3,
        checkpoint_every=2, validate_every=2, validate_rows=4, causal=causal, warmup=0.0, decay=0.0,
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


@renamed
def test_a_random_qwen3_with_lora_trains_in_the_same_loop(toy_release, tmp_path):
    pytest.importorskip("peft", reason="needs the train extra")
    folder = train(causal_config(toy_release, tmp_path))
    assert (folder / "adapter" / "adapter_model.safetensors").exists()
    state = weights(folder)
    assert state and all("lora_" in name for name in state)
    assert any(tensor.abs().sum() > 0 for name, tensor in state.items() if "lora_B" in name)


@renamed
def test_a_saved_adapter_gives_the_trained_logits_again(toy_release, tmp_path):
    peft = pytest.importorskip("peft", reason="needs the train extra")
    from searchjev.models.label_causal import build

    config = causal_config(toy_release, tmp_path, steps=3)
    folder = train(config)
    line = next(iter(read_lines(toy_release, "test")))
    trained, fresh = build(config, []), build(config, [])
    trained.load_state(weights(folder))
    with torch.no_grad():
        expected = trained.logits([trained.example(line, 1.0)])
        before = fresh.logits([fresh.example(line, 1.0)])
        fresh.model = peft.PeftModel.from_pretrained(fresh.model.unload(), str(folder / "adapter"))
        again = fresh.logits([fresh.example(line, 1.0)])
    torch.testing.assert_close(again, expected)
    assert not torch.allclose(before, expected)


@renamed
def test_label_logits_depend_on_neither_neighbours_nor_order_of_options(toy_release, tmp_path):
    pytest.importorskip("peft", reason="needs the train extra")
    from searchjev.models.label_causal import build

    readout = build(causal_config(toy_release, tmp_path), [])
    line = next(iter(read_lines(toy_release, "test")))
    alone = readout.example(line, 1.0)
    turned = Choice(dict(reversed(line.sample.questions["which"].criteria.items())), "which is it")
    other = msgspec.structs.replace(
        line.sample, questions={"which": turned}, answers={"which": line.sample.answers["which"]}
    )
    with torch.no_grad():
        single = readout.logits([alone])
        batched = readout.logits([readout.example(line._replace(sample=long_state(line.sample)), 1.0), alone])[3:]
        flipped = readout.logits([readout.example(line._replace(sample=other), 1.0)])[0].flip(0)
    torch.testing.assert_close(single, batched, atol=1e-5, rtol=0)
    torch.testing.assert_close(single[1, :3], flipped[:3], atol=1e-5, rtol=0)


def long_state(sample):
    return msgspec.structs.replace(sample, state={**sample.state, "more": ["river city page " * 9] * 3})
