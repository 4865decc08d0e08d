import math

import msgspec
import numpy as np
import pytest

from searchjev.bundle import BundleInfo
from searchjev.calibrate.fit import calibrate, check_groups, choose
from searchjev.calibrate.temperature import HIGHEST, LOWEST, fit_temperature, softmax
from searchjev.digest import file_sha256
from searchjev.errors import ArtifactError, DataError
from searchjev.evaluate.cases import read_cases
from tests import tiny


def one_hot(labels, k):
    return [[float(i == label) for i in range(k)] for label in labels]


def drawn(true_temperature, n=4000, k=3, seed=2):
    generator = np.random.default_rng(seed)
    logits = generator.normal(0, 3, (n, k))
    labels = [generator.choice(k, p=softmax(z, true_temperature)) for z in logits]
    return logits.tolist(), one_hot(labels, k)


@pytest.mark.parametrize("truth", [0.5, 1.0, 2.5])
def test_the_temperature_that_made_the_labels_is_found(truth):
    logits, wanted = drawn(truth)
    assert fit_temperature(logits, wanted, [1.0] * len(logits)) == pytest.approx(truth, rel=0.08)


def test_separable_rows_stop_at_the_bound():
    logits, wanted = [[10, 0], [8, 0], [0, 9]], one_hot([0, 0, 1], 2)
    assert fit_temperature(logits, wanted, [1.0] * 3) == pytest.approx(LOWEST, rel=0.01)


def test_a_model_worse_than_chance_is_flattened_never_reversed():
    logits, wanted = [[3, 0], [3, 0], [0, 3]], one_hot([1, 1, 0], 2)
    t = fit_temperature(logits, wanted, [1.0] * 3)
    assert t == pytest.approx(HIGHEST, rel=0.01)
    assert softmax(logits[0], t)[0] > 0.5


def test_huge_and_tiny_logits_give_finite_probabilities():
    for scale in (1e-9, 1.0, 4e8):
        p = softmax([scale, 0.0, -scale])
        assert all(math.isfinite(x) for x in p) and sum(p) == pytest.approx(1) and p[0] >= p[1] >= p[2]


def test_weights_decide_between_two_kinds_of_rows():
    sharp, flat = drawn(0.6, 800), drawn(2.5, 800)
    logits, wanted = sharp[0] + flat[0], sharp[1] + flat[1]
    for_sharp = fit_temperature(logits, wanted, [9.0] * 800 + [1.0] * 800)
    for_flat = fit_temperature(logits, wanted, [1.0] * 800 + [9.0] * 800)
    assert for_sharp < 1 < for_flat


class Overconfident:
    """Right on the toy rows four times of five, with logits that claim more."""

    def logits_many(self, requests):
        return [{name: self._logits(state, name) for name in questions} for state, questions in requests]

    def _logits(self, state, name):
        number = int(state["evidence"][1].split()[1])
        gold = {
            "north": number % 2, "which": number % 2, "rank": number % 3
        }[name]  # fmt: skip
        k = 2 if name == "north" else 3
        says = gold if number % 5 else (gold + 1) % k
        return [8.0 if i == says else 0.0 for i in range(k)]


def info(release, **changes):
    values = {
        "format": 1, "name": "toy", "version": "1", "release_date": "2026-12-01", "description": "",
        "readout": "span_encoder", "prompt_version": "1", "max_tokens": 2048, "max_state_positions": 384,
        "max_positions": 512, "model_sha256": "m", "tokenizer_sha256": "t", "files": {},
        "release_manifest_sha256": file_sha256(release / "manifest.json"),
    } | changes  # fmt: skip
    return msgspec.convert(values, BundleInfo)


@pytest.fixture
def release(tmp_path):
    return tiny.write_release(tmp_path, train=4, val=80, test=4)


def test_overconfidence_is_taken_back(release):
    fitted = calibrate(Overconfident(), info(release), release, 500)
    for report in fitted.reports:
        assert report.temperature > 2 and report.ece_after < report.ece_before
    assert fitted.calibration.model_sha256 == "m" and fitted.calibration.id.startswith("t-")
    assert fitted.calibration == calibrate(Overconfident(), info(release), release, 500).calibration


def test_few_rows_keep_the_temperature_of_one(tmp_path):
    release = tiny.write_release(tmp_path, train=4, val=20, test=4)
    fitted = calibrate(Overconfident(), info(release), release, 500)
    assert all(t == 1.0 for t in fitted.calibration.temperature.values())


def test_another_release_is_refused(release):
    with pytest.raises(ArtifactError, match="the bundle was trained on 000000000000"):
        calibrate(Overconfident(), info(release, release_manifest_sha256="0" * 64), release, 100)


def test_rows_that_share_a_group_with_training_are_refused(release):
    index = release / "val_index.jsonl"
    index.write_bytes(index.read_bytes().replace(b'"canonical_group":"val-3"', b'"canonical_group":"train-1"'))
    with pytest.raises(DataError, match=r"share a group with train: toy/val-3/"):
        check_groups(read_cases(release, "val"), release)


def test_half_of_the_rows_come_from_unseen_sources(release):
    index = release / "val_index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    lines[:40] = [line.replace(b'"in_distribution"', b'"held_out"') for line in lines[:40]]
    index.write_bytes(b"".join(lines))
    chosen = choose(read_cases(release, "val"), 60)
    assert sum(case.is_held_out for case in chosen) == 30 and len(chosen) == 60
