"""Bytes to requests: what is accepted as it is, what is refused, and where the fault is said to be."""

import json

import pytest

from searchjev.schema import Choice, Noul, Score, Sides
from searchjev.wire import UnsupportedError, WireError, parse_request


def body(questions: str = '{"q":{"type":"noul","instructions":"x"}}', state: str = '"s"') -> bytes:
    return f'{{"model":"m","state":{state},"questions":{questions}}}'.encode()


def problems(data: bytes) -> list[tuple[str, tuple[str | int, ...]]]:
    with pytest.raises(WireError) as caught:
        parse_request(data)
    return [(problem.kind, problem.place) for problem in caught.value.problems]


def test_a_request_becomes_the_schema_types():
    request = parse_request(
        body(
            json.dumps(
                {
                    "": {"type": "noul", "criteria": {"true": ["a", {"b": 1}], "maybe": 3}, "weight": 2},
                    "정답": {"type": "choice", "criteria": {"a": None, "A": {"x": 1}, " a": "t", "": None}},
                    "s": {"type": "score", "instructions": {"ask": "how"}, "criteria": ["low", ["high"], "low"]},
                }
            ),
            '{"9":1,"10":[null,1.5,true],"a\\u0000b":"z"}',
        )
    )
    assert request.questions == {
        "": Noul(None, Sides(true=["a", {"b": 1}])),
        "정답": Choice({"a": None, "A": {"x": 1}, " a": "t", "": None}),
        "s": Score(["low", ["high"], "low"], {"ask": "how"}),
    }
    assert list(request.questions["정답"].criteria) == ["a", "A", " a", ""]
    assert list(request.state) == ["9", "10", "a\0b"]


@pytest.mark.parametrize("state", ['""', "{}", "[]"])
def test_an_empty_state_is_a_state(state):
    assert parse_request(body(state=state)).state == json.loads(state)


def test_whole_numbers_keep_their_digits():
    digits = "9" * 400
    assert parse_request(body(state=f'{{"x":{digits}}}')).state == {"x": int(digits)}
    assert problems(body(state=f'{{"x":{"9" * 5000}}}')) == [("json_invalid", ("body",))]


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999"])
def test_numbers_that_are_not_finite_are_refused_where_they_stand(literal):
    assert problems(body(state=f'{{"a":[0,{literal}]}}')) == [("finite_number", ("body", "state", "a", 1))]
    level = f'{{"q":{{"type":"score","criteria":[{{"v":{literal}}},"b"]}}}}'
    assert problems(body(level)) == [("finite_number", ("body", "questions", "q", "criteria", 0, "v"))]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'{"model":"m","state":"a","state":"b","questions":{}}', ("body",)),
        (body('{"q":{"type":"noul"},"q":{"type":"noul"}}'), ("body", "questions")),
        (body('{"q":{"type":"choice","criteria":{"a":"1","a":"2"}}}'), ("body", "questions", "q", "criteria")),
        (body(state='{"rows":[{"label":"a","label":"b"}]}'), ("body", "state", "rows", 0)),
    ],
)
def test_a_key_may_not_be_repeated_anywhere(data, place):
    assert problems(data) == [("duplicate_key", place)]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (body(state='"cut \\ud83d"'), ("body", "state")),
        (body(state='{"\\ude00":1}'), ("body", "state")),
        (body('{"q":{"type":"choice","criteria":{"\\ud83d":null}}}'), ("body", "questions", "q", "criteria")),
    ],
)
def test_half_a_surrogate_pair_is_refused(data, place):
    assert problems(data) == [("string_unicode", place)]


def test_a_whole_surrogate_pair_is_a_character():
    assert parse_request(body(state='"\\ud83d\\ude00"')).state == "😀"


@pytest.mark.parametrize("depth", [65, 1_000, 100_000])
def test_a_deep_nest_is_refused(depth):
    assert [kind for kind, _ in problems(body(state="[" * depth + "]" * depth))] == ["too_deep"]


def test_a_nest_of_sixty_is_fine():
    parse_request(body(state="[" * 60 + "]" * 60))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff\xfe", "\ufeff{}".encode(), body().decode().encode("utf-16"), b'{"model":"\xff"}', body() + b"x"],
    ids=["empty", "cut", "bytes", "bom", "utf-16", "bad utf-8", "trailing"],
)
def test_what_is_not_json_is_refused(data):
    assert [kind for kind, _ in problems(data)] == ["json_invalid"]


@pytest.mark.parametrize("data", [b"[]", b"null", b'"x"', b"1", b"true"])
def test_the_body_is_an_object(data):
    assert problems(data) == [("dict_type", ("body",))]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("null", ("dict_type", ())),
        ('"x"', ("dict_type", ())),
        ("{}", ("union_tag_not_found", ("type",))),
        ('{"type":"boolean"}', ("union_tag_invalid", ("type",))),
        ('{"type":"box","instructions":"dog"}', ("union_tag_invalid", ("type",))),
        ('{"type":["noul"]}', ("union_tag_invalid", ("type",))),
        ('{"type":"noul"}', ("value_error", ("noul",))),
        ('{"type":"noul","criteria":{"true":null}}', ("value_error", ("noul",))),
        ('{"type":"noul","instructions":5}', ("string_type", ("noul", "instructions"))),
        ('{"type":"noul","instructions":"x","criteria":["a"]}', ("dict_type", ("noul", "criteria"))),
        ('{"type":"noul","criteria":{"true":1}}', ("string_type", ("noul", "criteria", "true"))),
        ('{"type":"choice"}', ("missing", ("choice", "criteria"))),
        ('{"type":"choice","criteria":{}}', ("too_short", ("choice", "criteria"))),
        ('{"type":"choice","criteria":["a"]}', ("dict_type", ("choice", "criteria"))),
        ('{"type":"choice","criteria":null}', ("dict_type", ("choice", "criteria"))),
        ('{"type":"choice","criteria":{"a":1}}', ("string_type", ("choice", "criteria", "a"))),
        ('{"type":"score","criteria":[]}', ("too_short", ("score", "criteria"))),
        ('{"type":"score","criteria":{"0":"a"}}', ("list_type", ("score", "criteria"))),
        ('{"type":"score","criteria":["a",null]}', ("string_type", ("score", "criteria", 1))),
    ],
)
def test_a_faulty_question_is_located(question, expected):
    kind, place = expected
    assert problems(body(f'{{"q":{question}}}')) == [(kind, ("body", "questions", "q", *place))]


@pytest.mark.parametrize(("count", "fits"), [(1, True), (255, True), (256, False)])
def test_options_are_counted(count, fits):
    question = json.dumps({"q": {"type": "choice", "criteria": {f"o{i}": None for i in range(count)}}})
    if fits:
        assert len(parse_request(body(question)).questions["q"].criteria) == count
    else:
        assert problems(body(question)) == [("too_long", ("body", "questions", "q", "choice", "criteria"))]


@pytest.mark.parametrize(("count", "fits"), [(1, True), (10, True), (11, False)])
def test_levels_are_counted(count, fits):
    question = json.dumps({"q": {"type": "score", "criteria": [f"l{i}" for i in range(count)]}})
    if fits:
        assert len(parse_request(body(question)).questions["q"].criteria) == count
    else:
        assert problems(body(question)) == [("too_long", ("body", "questions", "q", "score", "criteria"))]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("{}", [("missing", ("body", name)) for name in ("model", "state", "questions")]),
        ('{"model":3,"state":null,"questions":[]}', [
            ("string_type", ("body", "model")),
            ("string_type", ("body", "state")),
            ("dict_type", ("body", "questions")),
        ]),
        ('{"model":null,"state":true,"questions":{}}', [
            ("string_type", ("body", "model")),
            ("string_type", ("body", "state")),
            ("too_short", ("body", "questions")),
        ]),
        ('{"model":"m","state":"s","questions":{"q":{"type":"noul","instructions":"x"}},"assets":{}}', [
            ("too_short", ("body", "assets")),
        ]),
    ],
)  # fmt: skip
def test_all_faults_are_listed_together(data, expected):
    assert problems(data.encode()) == expected


def test_assets_are_not_served():
    data = body()[:-1] + b',"assets":{"i":{"type":"image"}}}'
    with pytest.raises(UnsupportedError, match="images are not supported"):
        parse_request(data)


def test_the_list_of_faults_is_bounded():
    questions = json.dumps({f"q{i}": None for i in range(500)})
    assert len(problems(body(questions))) == 20
