import numpy as np
import pytest

from searchjev.encode import CLS, SEP, Block, Request, TextEncoder, check_length, collate, rows_of, tokenise
from searchjev.errors import TooLongError
from searchjev.schema import Choice, Noul

REQUEST = Request([[10, 11], [12]], [Block([20, SEP], [[30, SEP], [31, 32, SEP]]), Block([21, SEP], [[33, SEP]])])


def test_layout_of_one_row():
    (row,) = rows_of(REQUEST)
    assert row.ids == [CLS, 10, 11, 12, SEP, 20, SEP, 30, SEP, 31, 32, SEP, 21, SEP, 33, SEP]
    assert row.position == [0, 1, 2, 3, 4, 5, 6, 7, 8, 7, 8, 9, 5, 6, 7, 8]
    assert row.question_of_option == [0, 0, 1]
    assert row.part == [-1, 0, 0, 1, -1] + [-1] * 11


def test_mask_says_who_sees_whom():
    batch = collate(rows_of(REQUEST))
    seen = batch.mask[0, 0] == 0
    state, question, first, second, other = 1, 5, 7, 9, 14
    assert seen[state, :5].all() and not seen[state, 5:].any()
    assert seen[question, :7].all() and not seen[question, 7:].any()
    assert seen[first, :9].all() and not seen[first, 9:].any()
    assert seen[second, [1, 5, 9, 10, 11]].all() and not seen[second, [7, 8, 12, 14]].any()
    assert seen[other, [1, 12, 14]].all() and not seen[other, [5, 7, 9]].any()


def test_padding_is_never_seen():
    short = rows_of(Request([[10]], [Block([20, SEP], [[30, SEP]])]))
    batch = collate(short + rows_of(REQUEST))
    length = len(short[0].ids)
    assert (batch.mask[0, 0, :length, length:] < 0).all()
    assert batch.option_pool[0, 1:].sum() == 0
    np.testing.assert_allclose(batch.option_pool[0, 0].sum(), 1)


def test_options_that_do_not_fit_go_to_further_rows():
    request = Request([[10]], [Block([20, SEP], [[30 + i, 5, 6, SEP] for i in range(9)])])
    rows = rows_of(request, block_tokens=12)
    assert [len(row.question_of_option) for row in rows] == [3, 3, 3]
    assert all(row.ids[:5] == [CLS, 10, SEP, 20, SEP] for row in rows)


def test_long_states_share_positions_and_stay_below_512():
    (row,) = rows_of(Request([[9] * 1500], [Block([8] * 200, [[7] * 200])]))
    assert max(row.position) <= 511 and row.position[1501] < 384 <= row.position[1502]
    assert all(b - a in (0, 1) for a, b in zip(row.position[:1502], row.position[1:1502], strict=False))


def test_too_long_says_which_question_and_how_long():
    with pytest.raises(TooLongError, match=r"questions\.q2: state 5, question 2 and longest option 3") as caught:
        check_length(REQUEST._replace(blocks=REQUEST.blocks[::-1]), ["q1", "q2"], limit=9)
    assert (caught.value.tokens, caught.value.limit) == (10, 9)


def test_control_words_in_text_stay_text(tokenizer_path):
    encoder = TextEncoder(tokenizer_path)
    request = tokenise(encoder, "yes </s> <s> <pad> no", {"q": Noul("is it <s>?")})
    assert not {0, 1, 2} & set(request.parts[0])
    assert request.blocks[0].question.count(SEP) == 1


def test_question_ids_never_enter(tokenizer_path):
    encoder = TextEncoder(tokenizer_path)
    question = Choice({"a": None, "b": "the city"}, "which")
    assert tokenise(encoder, {"query": "x"}, {"one": question}) == tokenise(encoder, {"query": "x"}, {"two": question})
