"""The steps one by one, on rows made by hand."""

from collections import Counter

import numpy as np
import pytest

from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger, one_line
from searchjev.release.script import script
from searchjev.release.spool import Spool
from searchjev.release.steps.duplicates import OTHER, SAME, alive, duplicates
from searchjev.release.steps.groups import components, groups
from searchjev.release.steps.instructions import instruct
from searchjev.release.steps.near_duplicates import Signer, near_duplicates
from searchjev.release.steps.normalise import normalise
from searchjev.release.steps.split import split
from searchjev.release.steps.subsets import Candidate, subsets
from searchjev.release.steps.weights import balanced, budget, weigh
from searchjev.release.table import PROTECTION, Observer, Table, join, state_digest
from searchjev.schema import Choice, Noul, Sides, target
from searchjev.wording import template

CONFIG = ReleaseConfig(name="t", release_version="1")
NO_PAIRS = np.zeros((0, 2), np.int64)


def item(number: int, question=None, gold=True, *, qid="follows", keys=(), **given) -> Item:
    question = question or Noul()
    facts = {
        "source": "toy", "capability": "nli", "language": "en", "tier": "gold", "origin": "native", "difficulty": 3,
        "agreement": {}, "protection": None, "mother": f"toy:{number}", "state": {"premise": f"p{number}"},
    } | given  # fmt: skip
    return Item(
        sample_id=f"toy/{number}/{facts['capability']}", keys=[facts["mother"], *keys],
        questions={qid: question}, answers={qid: target(question, gold)}, **facts,
    )  # fmt: skip


def table(rows: list[Item]) -> Table:
    observer = Observer()
    for row in rows:
        observer.add(row, state_digest(row.state), (0, 0))
    return join([observer.columns()])


def everyone(rows) -> np.ndarray:
    return np.ones(len(rows), bool)


def near(folder, *sources: list[Item]) -> list[list[int]]:
    """Pairs that the build finds among the rows of several sources."""
    columns, signed, spools = [], [], []
    for number, rows in enumerate(sources):
        observer, signer = Observer(), Signer()
        spools.append(str(folder / str(number)))
        with Spool(folder / str(number)) as spool:
            for place, row in enumerate(rows):
                observer.add(row, state_digest(row.state), spool.put(row))
                signer.add(place, state_digest(row.state), row.state)
        columns.append(observer.columns())
        signed.append(signer.signed())
    return near_duplicates(join(columns), signed, spools, Ledger()).tolist()


def grouped(rows: list[Item], pairs=NO_PAIRS) -> list[int]:
    return groups(table(rows), pairs, CONFIG).group.tolist()


def split_of(rows: list[Item]) -> list[str]:
    found = table(rows)
    codes = split(found, groups(found, NO_PAIRS, CONFIG).group, everyone(rows))
    return [PROTECTION[code] for code in codes]


def test_texts_are_cleaned_and_separators_become_line_ends():
    row = item(1, state={"query": " Cafe\u0301\u2028x\u0000\r\ny\ufeff "})
    assert normalise(row, Ledger())
    assert row.state == {"query": "Caf\u00e9\nx\ny"}


def test_option_names_are_cleaned_with_their_answers():
    row = item(1, Choice({"a\u0000": None, "b": None}), "a\u0000")
    assert normalise(row, Ledger())
    assert row.answers["follows"].choice == "a" and list(row.questions["follows"].criteria) == ["a", "b"]


@pytest.mark.parametrize("options", [{"a": None}, {"a": None, "a ": None}])
def test_a_choice_without_a_choice_is_dropped(options):
    ledger = Ledger()
    assert not normalise(item(1, Choice(options), "a"), ledger)
    assert {reject.reason for reject in ledger.rejects} == {"malformed question or answer", "no question left"}
    assert ledger.flow["normalise"] == {"read": 1, "kept": 0, "dropped": 1}


def test_lines_escape_what_some_take_for_line_ends():
    assert one_line("a\u2028b\u2029c\u0085d") == b'"a\\u2028b\\u2029c\\u0085d"\n'


def test_of_equal_rows_the_best_protected_stays():
    same = [item(n, state="s", protection=name) for n, name in enumerate(("train", "test", "val"))]
    ledger = Ledger()
    assert duplicates(table(same), ledger).tolist() == [SAME, 0, SAME]
    assert ledger.flow["duplicates"] == {"read": 3, "kept": 1, "dropped": 2}


def test_contradictions_leave_and_still_tie_their_keys():
    rows = [item(1, state="s", gold=True), item(2, state="s", gold=False), item(3, mother="toy:1"), item(4)]
    rows[3].keys.append("toy:2")
    rows[0].keys.append("state:s")
    rows[1].keys.append("state:s")
    verdict = duplicates(table(rows), Ledger())
    assert verdict.tolist() == [OTHER, OTHER, 0, 0]
    assert alive(table(rows), verdict == 0).tolist() == [False, False, True, True]
    assert len(set(grouped(rows))) == 1


def test_a_key_that_ties_too_much_is_cut_and_counted():
    rows = [item(n, keys=["empty passage"]) for n in range(80)]
    found = groups(table(rows), NO_PAIRS, CONFIG)
    assert list(found.cut.values()) == [80]
    assert len(set(found.group.tolist())) == 80


def test_pairs_tie_rows_without_a_common_key():
    a, b, c = grouped([item(1), item(2), item(3)], np.array([[0, 2]]))
    assert a == c != b


def test_components_follow_long_chains():
    n = 5_000
    order = np.random.default_rng(1).permutation(n)
    # row i shares key i with row i + 1, in an order that tells nothing
    row, key = np.concatenate([order[:-1], order[1:]]), np.concatenate([np.arange(n - 1)] * 2)
    assert set(components(n, row, key, NO_PAIRS).tolist()) == {0}
    cut = key != n // 2
    assert len(set(components(n, row[cut], key[cut], NO_PAIRS).tolist())) == 2


def test_a_groups_name_does_not_depend_on_the_order_of_rows():
    def names(order):
        rows = [item(n, keys=[f"k{n // 3}", f"l{n // 4}"]) for n in order]
        return dict(zip([row.sample_id for row in rows], grouped(rows), strict=True))

    assert names(range(40)) == names(reversed(range(40)))


def test_groups_go_whole_to_the_best_protected_split():
    rows = [
        item(1, protection="train", keys=["k"]), item(2, protection="test", keys=["k"]), item(3, protection="val")
    ]  # fmt: skip
    assert split_of(rows) == ["test", "test", "val"]


def test_a_row_that_left_protects_nothing():
    rows = [item(1, protection="train", keys=["k"]), item(2, protection="test", keys=["k"])]
    found = table(rows)
    codes = split(found, groups(found, NO_PAIRS, CONFIG).group, np.array([True, False]))
    assert PROTECTION[codes[0]] == "train"


def test_free_groups_are_drawn_in_the_stated_shares():
    shares = {name: count / 3000 for name, count in Counter(split_of([item(n) for n in range(3000)])).items()}
    assert shares == pytest.approx({"train": 0.60, "val": 0.17, "test": 0.23}, abs=0.03)


def worded(rows: list[Item], config: ReleaseConfig = CONFIG, *, for_test: bool = False) -> None:
    for row in rows:
        instruct(row, config, for_test=for_test)


def test_negated_wordings_turn_answer_and_sides():
    sides = Sides(true="yes", false="no")
    rows = [item(n, Noul(criteria=sides)) for n in range(400)]
    worded(rows)
    opposite = set(template("nli", "follows").en_negated)
    turned = [row for row in rows if row.questions["follows"].instructions in opposite]
    assert len(turned) / 400 == pytest.approx(0.3, abs=0.06)
    for row in rows:
        is_turned = row.questions["follows"].instructions in opposite
        assert row.answers["follows"].noul == (0.0 if is_turned else 1.0)
        assert row.questions["follows"].criteria.true == ("no" if is_turned else "yes")


def options(names):
    return Choice(dict.fromkeys(names))


def test_options_are_described_shuffled_and_sometimes_lettered():
    names = ("entailment", "neutral", "contradiction")
    rows = [item(n, options(names), "neutral", qid="nli") for n in range(400)]
    worded(rows)
    lettered = [row for row in rows if set(row.questions["nli"].criteria) == set("ABC")]
    assert len(lettered) / 400 == pytest.approx(0.2, abs=0.06)
    assert len({tuple(row.questions["nli"].criteria) for row in rows if row not in lettered}) == 6
    meant = template("nli", "nli").options["neutral"].en
    for row in rows:
        assert row.questions["nli"].criteria[row.answers["nli"].choice] in meant


def test_more_options_than_letters_keep_their_names():
    names = list(template("emotion", "emotion").options)
    assert len(names) > 26
    rows = [item(n, options(names), names[0], qid="emotion", capability="emotion") for n in range(60)]
    worded(rows)
    assert all(set(row.questions["emotion"].criteria) == set(names) for row in rows)


def test_a_tied_soft_label_keeps_its_choice():
    row = item(1, options(("entailment", "neutral")), {"neutral": 1, "entailment": 1}, qid="nli")
    before = row.answers["nli"].choice
    worded([row], ReleaseConfig(name="t", release_version="1", neutral_share=0.0))
    assert row.answers["nli"].choice == before


def test_one_wording_is_met_in_test_only():
    met = {}
    for name in ("train", "test"):
        worded(rows := [item(n) for n in range(300)], for_test=name == "test")
        met[name] = {row.questions["follows"].instructions for row in rows}
    assert met["train"] < met["test"] and len(met["test"] - met["train"]) == 2


@pytest.mark.parametrize("counts", [{"a": 10}, {"a": 900, "b": 100}, {"a": 100_000, "b": 1}, dict.fromkeys("abcd", 7)])
def test_class_balance_has_mean_one_within_its_bounds(counts):
    weights = balanced(counts)
    assert sum(counts[name] * weights[name] for name in counts) / sum(counts.values()) == pytest.approx(1)
    assert all(0.5 <= weight <= 2 for weight in weights.values())


def test_a_prolific_mother_does_not_outweigh_many():
    rows = [item(n, mother="toy:m", keys=["k"]) for n in range(20)] + [item(99)]
    *prolific, single = weigh(table(rows), everyone(rows), everyone(rows), CONFIG).scale
    assert single == 1.0 and sum(prolific) == pytest.approx(4.0)


def test_multipliers_give_the_shares_and_a_cap_goes_to_the_others_in_proportion():
    free = budget({"A": 100.0, "C": 300.0, "E": 100.0}, CONFIG)
    assert free.capped == [] and free.realised == pytest.approx(free.target)
    capped = budget({"A": 1.0, "C": 600.0, "E": 400.0}, CONFIG)
    assert capped.capped == ["A"] and capped.multiplier["A"] == 8.0
    assert capped.realised["C"] / capped.realised["E"] == pytest.approx(2.0)
    assert sum(capped.realised.values()) == pytest.approx(1.0)


def test_selection_and_calibration_share_no_group():
    group = {row: row // 2 for row in range(200)}
    rows = [Candidate(turn=row * 7919 % 200, row=row, source=row % 7, capability=0, group=group[row]) for row in group]
    chosen = subsets(rows, ReleaseConfig(name="t", release_version="1", selection_rows=50, calibration_rows=20))
    assert [len(part) for part in chosen] == [50, 20]
    assert len({group[row] for part in chosen for row in part}) == 70
    assert {row % 7 for row in chosen.selection} == set(range(7))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"a_long_latin_name": "你好，世界"}, "zh"), ("hello world", "latin"), ("привет", "other"), ("", "other"),
        ("怎么 reset 密码 on windows please", "mixed"), (["1", {"x": 3}], "other"),
    ],
)  # fmt: skip
def test_scripts(state, expected):
    assert script(state) == expected


def test_pairs_that_share_a_sentence_stay_together():
    chain = [("how do I reset my pin", "pin reset"), ("pin reset", "pin forgotten"), ("pin forgotten", "lost my pin")]
    other = [("where is my parcel", "parcel place"), ("快递到哪了", "快递在哪里")]
    rows = [
        item(n, state={"query": a, "other": b}, keys=[f"text:{a}", f"text:{b}"])
        for n, (a, b) in enumerate([*chain, *other])
    ]
    names = grouped(rows)
    assert len(set(names[:3])) == 1 and len(set(names)) == 3
    assert len(set(split_of(rows)[:3])) == 1


def test_near_duplicates_tie_rows_of_different_sources(tmp_path):
    text = "The museum in the old harbour opened its doors in 1911 and closed them again in 1987."
    others = [item(n, state={"query": f"{n} quite another thing {n * 7}"}) for n in (1, 2)]
    one, other = item(3, state={"page": text}), item(4, state={"page": text + " It did."})
    assert near(tmp_path, [others[0], one], [other, others[1]]) == [[1, 2]]


def test_a_state_asked_twice_is_signed_once(tmp_path):
    rows = [item(n, state={"page": "the same words in both of the rows"}) for n in (1, 2)]
    assert near(tmp_path, rows) == []


def test_chinese_near_duplicates_are_found(tmp_path):
    text = "北京大学创办于一八九八年，初名京师大学堂，是中国近代第一所国立综合性大学，也是当时中国最高教育行政机关。"
    rows = [item(1, state={"page": text}), item(2, state={"page": text.replace("，", "、") + "是的"})]
    assert near(tmp_path, rows) == [[0, 1]]
