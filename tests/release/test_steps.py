"""The steps one by one, on rows made by hand."""

from collections import Counter

import pytest

from searchjev.release.config import ReleaseConfig
from searchjev.release.item import Item, Ledger
from searchjev.release.script import script
from searchjev.release.steps.duplicates import drop_duplicates
from searchjev.release.steps.groups import group
from searchjev.release.steps.instructions import instruct
from searchjev.release.steps.normalise import normalise
from searchjev.release.steps.split import split
from searchjev.release.steps.subsets import subsets
from searchjev.release.steps.weights import balanced, budget, weigh
from searchjev.release.steps.write import one_line
from searchjev.schema import Choice, Noul, Sides, target
from searchjev.source import Row
from searchjev.wording import template

CONFIG = ReleaseConfig(name="t", release_version="1")


def item(number: int, question=None, gold=True, *, state=None, qid="follows", capability="nli", **given) -> Item:
    question = question or Noul()
    split_name, held_out = given.pop("split", None), given.pop("held_out", None)
    mother = given.pop("mother", f"toy:{number}")
    state = {"premise": f"p{number}"} if state is None else state
    row = Row(
        upstream_id=str(number), capability=capability, language=given.pop("language", "en"), state=state,
        questions={qid: question}, answers={qid: target(question, gold)}, split=split_name,
    )  # fmt: skip
    keys = [mother, *given.pop("keys", [])]
    return Item(
        sample_id=f"toy/{number}/{capability}", source=given.pop("source", "toy"), held_out=held_out, row=row,
        state=row.state, questions=row.questions, answers=row.answers, mother=mother, keys=keys,
    )  # fmt: skip


def test_texts_are_cleaned_and_separators_become_line_ends():
    dirty = item(1, state={"query": " Cafe\u0301\u2028x\u0000\r\ny\ufeff "})
    [clean] = normalise([dirty], Ledger())
    assert clean.state == {"query": "Caf\u00e9\nx\ny"}


def test_option_names_are_cleaned_with_their_answers():
    [clean] = normalise([item(1, Choice({"a\u0000": None, "b": None}), "a\u0000")], Ledger())
    assert clean.answers["follows"].choice == "a" and list(clean.questions["follows"].criteria) == ["a", "b"]


@pytest.mark.parametrize("options", [{"a": None}, {"a": None, "a ": None}])
def test_a_choice_without_a_choice_is_dropped(options):
    ledger = Ledger()
    assert not list(normalise([item(1, Choice(options), "a")], ledger))
    assert {reject.reason for reject in ledger.rejects} == {"malformed question or answer", "no question left"}
    assert ledger.flow["normalise"] == {"read": 1, "kept": 0, "dropped": 1}


def test_lines_escape_what_some_take_for_line_ends():
    assert one_line("a\u2028b\u2029c\u0085d") == b'"a\\u2028b\\u2029c\\u0085d"\n'


def test_of_equal_rows_the_best_protected_stays():
    same = [item(n, state="s", split=name) for n, name in enumerate(("train", "test", "val"))]
    kept, ties = drop_duplicates(same, ledger := Ledger())
    assert [i.row.split for i in kept] == ["test"]
    assert len(ties) == 2 and len(ledger.rejects) == 2


def test_contradictions_leave_and_still_tie_their_keys():
    rows = [item(1, state="s", gold=True), item(2, state="s", gold=False), item(3, mother="toy:1"), item(4)]
    rows[3].keys.append("toy:2")
    kept, ties = drop_duplicates(rows, ledger := Ledger())
    assert [i.sample_id for i in kept] == ["toy/3/nli", "toy/4/nli"]
    assert {reject.reason for reject in ledger.rejects} == {"same input with another answer"}
    a, b = group(kept, ties, CONFIG, Ledger())
    assert a.group == b.group


def test_a_key_that_ties_too_much_is_cut_and_reported():
    rows = [item(n, keys=["empty passage"]) for n in range(80)]
    group(rows, [], CONFIG, ledger := Ledger())
    assert ledger.notes["cut_keys"] == {"empty passage": 80}
    assert len({row.group for row in rows}) == 80


def test_a_groups_name_does_not_depend_on_the_order_of_rows():
    def names(order):
        rows = [item(n, keys=[f"k{n // 3}", f"l{n // 4}"]) for n in order]
        return {row.sample_id: row.group for row in group(rows, [], CONFIG, Ledger())}

    assert names(range(40)) == names(reversed(range(40)))


def test_groups_go_whole_to_the_best_protected_split():
    rows = [item(1, split="train", keys=["k"]), item(2, split="test", keys=["k"]), item(3, held_out="val")]
    assert [i.split for i in split(group(rows, [], CONFIG, Ledger()), Ledger())] == ["test", "test", "val"]


def test_free_groups_are_drawn_in_the_stated_shares():
    rows = split(group([item(n) for n in range(3000)], [], CONFIG, Ledger()), Ledger())
    shares = {name: count / 3000 for name, count in Counter(row.split for row in rows).items()}
    assert shares == pytest.approx({"train": 0.60, "val": 0.17, "test": 0.23}, abs=0.03)


def test_negated_wordings_turn_answer_and_sides():
    sides = Sides(true="yes", false="no")
    rows = [item(n, Noul(criteria=sides)) for n in range(400)]
    instruct(rows, CONFIG, Ledger())
    opposite = set(template("nli", "follows").en_negated)
    turned = [row for row in rows if row.questions["follows"].instructions in opposite]
    assert len(turned) / 400 == pytest.approx(0.3, abs=0.06)
    for row in rows:
        is_turned = row.questions["follows"].instructions in opposite
        assert row.answers["follows"].noul == (0.0 if is_turned else 1.0)
        assert row.questions["follows"].criteria.true == ("no" if is_turned else "yes")
        assert row.labels["follows"] == "True"


def options(names):
    return Choice(dict.fromkeys(names))


def test_options_are_described_shuffled_and_sometimes_lettered():
    names = ("entailment", "neutral", "contradiction")
    rows = [item(n, options(names), "neutral", qid="nli") for n in range(400)]
    instruct(rows, CONFIG, Ledger())
    lettered = [row for row in rows if set(row.questions["nli"].criteria) == set("ABC")]
    assert len(lettered) / 400 == pytest.approx(0.2, abs=0.06)
    assert len({tuple(row.questions["nli"].criteria) for row in rows if row not in lettered}) == 6
    meant = template("nli", "nli").options["neutral"].en
    for row in rows:
        assert row.questions["nli"].criteria[row.answers["nli"].choice] in meant
        assert row.labels["nli"] == "neutral"


def test_more_options_than_letters_keep_their_names():
    names = list(template("emotion", "emotion").options)
    assert len(names) > 26
    rows = [item(n, options(names), names[0], qid="emotion", capability="emotion") for n in range(60)]
    instruct(rows, CONFIG, Ledger())
    assert all(set(row.questions["emotion"].criteria) == set(names) for row in rows)


def test_a_tied_soft_label_keeps_its_choice():
    row = item(1, options(("entailment", "neutral")), {"neutral": 1, "entailment": 1}, qid="nli")
    before = row.answers["nli"].choice
    instruct([row], ReleaseConfig(name="t", release_version="1", neutral_share=0.0), Ledger())
    assert row.answers["nli"].choice == before


def test_one_wording_is_met_in_test_only():
    rows = {name: [item(n, split=name) for n in range(300)] for name in ("train", "test")}
    met = {}
    for name, items in rows.items():
        for one in items:
            one.split = name
        instruct(items, CONFIG, Ledger())
        met[name] = {one.questions["follows"].instructions for one in items}
    assert met["train"] < met["test"] and len(met["test"] - met["train"]) == 2


@pytest.mark.parametrize("counts", [{"a": 10}, {"a": 900, "b": 100}, {"a": 100_000, "b": 1}, dict.fromkeys("abcd", 7)])
def test_class_balance_has_mean_one_within_its_bounds(counts):
    weights = balanced(counts)
    assert sum(counts[name] * weights[name] for name in counts) / sum(counts.values()) == pytest.approx(1)
    assert all(0.5 <= weight <= 2 for weight in weights.values())


def test_a_prolific_mother_does_not_outweigh_many():
    rows = [item(n, mother="toy:m", keys=["k"]) for n in range(20)] + [item(99)]
    for row in rows:
        row.split = "train"
    instruct(rows, CONFIG, Ledger())
    weigh(rows, CONFIG, Ledger())
    assert rows[-1].scale == 1.0 and sum(row.scale for row in rows[:-1]) == pytest.approx(4.0)


def test_multipliers_give_the_shares_and_a_cap_goes_to_the_others_in_proportion():
    free = budget({"A": 100.0, "C": 300.0, "E": 100.0}, CONFIG)
    assert free.capped == [] and free.realised == pytest.approx(free.target)
    capped = budget({"A": 1.0, "C": 600.0, "E": 400.0}, CONFIG)
    assert capped.capped == ["A"] and capped.multiplier["A"] == 8.0
    assert capped.realised["C"] / capped.realised["E"] == pytest.approx(2.0)
    assert sum(capped.realised.values()) == pytest.approx(1.0)


def test_selection_and_calibration_share_no_group():
    rows = [item(n, source=f"s{n % 7}", mother=f"toy:{n // 2}") for n in range(200)]
    for row in group(rows, [], CONFIG, Ledger()):
        row.split = "val"
    chosen = subsets(rows, ReleaseConfig(name="t", release_version="1", selection_rows=50, calibration_rows=20))
    groups = [[row.group for row in rows] for rows in chosen]
    assert [len(names) for names in groups] == [50, 20]
    assert len({*groups[0], *groups[1]}) == 70
    assert {row.source for row in chosen.selection} == {f"s{n}" for n in range(7)}


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
    grouped = split(group(rows, [], CONFIG, Ledger()), Ledger())
    assert len({row.group for row in grouped[:3]}) == 1 and len({row.group for row in grouped}) == 3
    assert len({row.split for row in grouped[:3]}) == 1
