import math

import msgspec
import numpy as np
import pytest

from searchjev.bundle import BundleInfo
from searchjev.calibrate.fit import calibrate, choose
from searchjev.calibrate.held_out import check_groups
from searchjev.calibrate.temperature import HIGHEST, LOWEST, fit_temperature, golden_section, softmax
from searchjev.digest import file_sha256
from searchjev.errors import ArtifactError, DataError
from searchjev.evaluate.cases import group_digest, read_cases
from searchjev.evaluate.metrics import nll
from tests import tiny


def one_hot(labels, k):
    return [[float(i == label) for i in range(k)] for label in labels]


def drawn(true_temperature, n=4000, k=3, seed=2):
    generator = np.random.default_rng(seed)
    logits = generator.normal(0, 3, (n, k))
    labels = [generator.choice(k, p=softmax(z, true_temperature)) for z in logits]
    return logits.tolist(), one_hot(labels, k)


def fit(logits, labels, **settings):
    k = max(map(len, logits), default=2)
    return fit_temperature(logits, one_hot(labels, k), [1.0] * len(logits), **settings)


@pytest.mark.parametrize("truth", [0.5, 1.0, 2.5])
def test_the_temperature_that_made_the_labels_is_found(truth):
    logits, wanted = drawn(truth)
    t, flag = fit_temperature(logits, wanted, [1.0] * len(logits))
    assert t == pytest.approx(truth, rel=0.08) and (flag is None or truth == 1.0)


HARD = {
    "separable": ([[10, 0], [8, 0], [0, 9]], [0, 0, 1], LOWEST, "at_bound"),
    "worse_than_chance": ([[3, 0], [3, 0], [0, 3], [0, 3]], [1, 1, 0, 0], HIGHEST, "at_bound"),
    "single_row": ([[1, 0]], [0], LOWEST, "at_bound"),
    "huge": ([[40_000, 0], [0, 40_000]], [0, 0], HIGHEST, "at_bound"),
    "constant": ([[2, 2], [2, 2]], [0, 1], 1.0, "no_gain"),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_rows_stay_in_bounds_and_are_flagged(name):
    logits, labels, expected, expected_flag = HARD[name]
    assert fit(logits, labels) == (1.0, "too_few_rows")
    t, flag = fit(logits, labels, least=1)
    assert t == pytest.approx(expected, rel=0.01) and flag == expected_flag
    for z, p in ((z, softmax(z, t)) for z in logits):
        assert all(map(math.isfinite, p)) and sum(p) == pytest.approx(1)
        assert [i for i in range(2) if p[i] == max(p)] == [i for i in range(2) if z[i] == max(z)]


def test_no_rows_keep_the_temperature_of_one():
    assert fit([], [], least=1) == (1.0, "too_few_rows")


def test_a_fit_never_raises_the_loss():
    for seed in range(8):
        logits, wanted = drawn(0.7 + seed / 5, n=60, seed=seed)
        t, _ = fit_temperature(logits, wanted, [1.0] * 60)
        after, before = (np.mean([nll(softmax(z, s), y) for z, y in zip(logits, wanted, strict=True)]) for s in (t, 1))
        assert after <= before + 1e-12


def test_the_search_finds_one_minimum_from_any_interval():
    found = [golden_section(lambda x: (x - 0.3) ** 2, low, 4.0) for low in (math.log(0.05), 0.0, 0.25)]
    assert found == pytest.approx([0.3] * 3, abs=1e-3)


def test_options_of_other_counts_and_levels_share_a_fit():
    (two, y2), (four, y4) = drawn(2.0, 3000, 2), drawn(2.0, 3000, 4)
    assert fit_temperature(two + four, y2 + y4, [1.0] * 6000).value == pytest.approx(2.0, rel=0.1)
    assert fit_temperature(two + four, y2 + y4, [1.0] * 6000, ordered=True).value == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e4])
def test_huge_and_tiny_margins_keep_their_ranking(scale):
    generator = np.random.default_rng(11)
    y = np.arange(600) % 5 < 3
    scores = (4e8 * y + generator.normal(size=600)) * scale
    t, flag = fit([[s, 0.0] for s in scores], [0 if one else 1 for one in y])
    p = np.array([softmax([s, 0.0], t)[0] for s in scores])
    # a bounded T can't follow any scale: p may saturate, but never turns the order round
    assert np.isfinite(p).all() and (np.diff(p[np.argsort(scores)]) >= 0).all() and p[y].min() >= p[~y].max()
    assert scale > 1 or p[y].min() > p[~y].max()
    assert flag in ("at_bound", "no_gain", None)


def test_one_class_alone_stops_at_the_bound_and_says_so():
    assert fit([[1.0, 0.0]] * 80, [0] * 80).flag == "at_bound"


def test_huge_and_tiny_logits_give_finite_probabilities():
    for scale in (1e-9, 1.0, 4e8):
        p = softmax([scale, 0.0, -scale])
        assert all(math.isfinite(x) for x in p) and sum(p) == pytest.approx(1) and p[0] >= p[1] >= p[2]


def test_weights_decide_between_two_kinds_of_rows():
    sharp, flat = drawn(0.6, 800), drawn(2.5, 800)
    logits, wanted = sharp[0] + flat[0], sharp[1] + flat[1]
    for_sharp = fit_temperature(logits, wanted, [9.0] * 800 + [1.0] * 800).value
    for_flat = fit_temperature(logits, wanted, [1.0] * 800 + [9.0] * 800).value
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
    assert fitted.calibration.flags == dict.fromkeys(("noul", "choice", "score"), "too_few_rows")


def test_another_release_is_refused(release):
    with pytest.raises(ArtifactError, match="the bundle was trained on 000000000000"):
        calibrate(Overconfident(), info(release, release_manifest_sha256="0" * 64), release, 100)


def test_rows_that_training_saw_are_refused_by_name(release):
    index = release / "val_index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b'"canonical_group":"val-3"', b'"canonical_group":"train-1"')
    lines[5] = lines[5].replace(b"toy/val-5/", b"toy/train-2/").replace(b'group":"val-5"', b'group":"train-2"')
    index.write_bytes(b"".join(lines))
    with pytest.raises(DataError, match=r"not held out of train: toy/train-2/\S+ \(same row\), toy/val-3/\S+ \(same g"):
        check_groups(read_cases(release, "val"), release)


def test_the_file_says_what_it_rests_on(release):
    fitted = calibrate(Overconfident(), info(release), release, 100).calibration
    manifest = file_sha256(release / "manifest.json")
    assert (fitted.release_manifest_sha256, fitted.trained_on_manifest_sha256) == (manifest, manifest)
    assert fitted.fitted_on.startswith("100 val questions, 0 of them") and sum(fitted.counts.values()) == 100
    assert set(fitted.groups) <= {group_digest(case) for case in read_cases(release, "val")}


def test_half_of_the_rows_come_from_unseen_sources(release):
    index = release / "val_index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    lines[:40] = [line.replace(b'"in_distribution"', b'"held_out"') for line in lines[:40]]
    index.write_bytes(b"".join(lines))
    chosen = choose(read_cases(release, "val"), 60)
    assert sum(case.is_held_out for case in chosen) == 30 and len(chosen) == 60
