"""error-pages: templates of HTTP error pages, filled with codes in English or Chinese, and what to do about each."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from searchjev.digest import draw, pick, shuffled
from searchjev.schema import Choice, Language, Noul, Question, target
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

LOCALES = "l10n/locales.json"
CAUSES = ("gone", "refused", "sign_in", "too_many", "server", "request")
REACTIONS = ("retry", "other_source", "sign_in", "fix_request")
ACTION: Mapping[Language, str] = {"en": "open a link from the search results", "zh": "打开搜索结果中的一个链接"}


class Failure(NamedTuple):
    """One HTTP status: its texts, its cause, and the reaction where only one of them is right."""

    code: int
    message: str
    description: str
    cause: str
    reaction: str | None


FAILURES = (
    Failure(400, "Bad Request", "The server did not understand the request", "request", "fix_request"),
    Failure(401, "Unauthorized", "The requested page needs a username and a password", "sign_in", "sign_in"),
    Failure(403, "Forbidden", "Access is forbidden to the requested page", "refused", None),
    Failure(404, "Not Found", "The server can not find the requested page", "gone", "other_source"),
    Failure(405, "Method Not Allowed", "The method specified in the request is not allowed", "request", "fix_request"),
    Failure(
        407, "Proxy Authentication Required",
        "You must authenticate with a proxy server before this request can be served", "sign_in", "sign_in",
    ),
    Failure(
        408, "Request Timeout", "The request took longer than the server was prepared to wait", "server", "retry"
    ),
    Failure(410, "Gone", "The requested page is no longer available", "gone", "other_source"),
    Failure(
        411, "Length Required",
        'The "Content-Length" is not defined. The server will not accept the request without it',
        "request", "fix_request",
    ),
    Failure(
        413, "Payload Too Large", "The server will not accept the request, because the request entity is too large",
        "request", "fix_request",
    ),
    Failure(
        416, "Requested Range Not Satisfiable",
        "The requested byte range is not available and is out of bounds", "request", "fix_request",
    ),
    Failure(429, "Too Many Requests", "Too many requests in a given amount of time", "too_many", "retry"),
    Failure(500, "Internal Server Error", "The server met an unexpected condition", "server", None),
    Failure(
        502, "Bad Gateway", "The server received an invalid response from the upstream server", "server", "retry"
    ),
    Failure(503, "Service Unavailable", "The server is temporarily overloading or down", "server", "retry"),
    Failure(504, "Gateway Timeout", "The gateway has timed out", "server", "retry"),
)  # fmt: skip
_SLOT = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_UNSEEN = re.compile(r"<(script|style|svg)\b.*?</\1>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<title\b.*?</title>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[a-z!][^>]*>", re.IGNORECASE)


def holds(condition: str, code: int) -> bool:
    """Whether a template's condition holds; request details, links and scripts are left out."""
    if "eq .StatusCode" in condition:
        return str(code) in re.findall(r"\d{3}", condition)
    return condition.split()[-1] == ".Description"


def filled(template: str, failure: Failure) -> str:
    """Template with its slots filled; conditions are nested and may have an alternative."""
    values = {
        ".StatusCode": str(failure.code),
        ".Message": failure.message,
        ".Description": failure.description,
    }
    shown, kept, end = [True], [], 0
    for slot in _SLOT.finditer(template):
        if all(shown):
            kept.append(template[end : slot.start()])
        end, word = slot.end(), slot[1]
        if word.startswith(("if ", "range ")):
            shown.append(holds(word, failure.code))
        elif word.startswith("else"):
            shown[-1] = not shown[-1] and (word == "else" or holds(word, failure.code))
        elif word == "end":
            shown = shown[:-1] or [True]
        elif all(shown):
            value = values.get(word.split("|")[0].strip(), "")
            kept.append(f'"{value}"' if "toJson" in word and not value.isdigit() else value)
    return "".join([*kept, template[end:] if all(shown) else ""])


def page_text(page: str) -> str:
    """What a reader sees of a page, or its title where the rest is a picture; text, XML and JSON stay as they are."""
    if "<html" not in page[:2000].lower():
        return page.strip()
    seen = _UNSEEN.sub(" ", page)
    texts = (" ".join(html.unescape(_TAG.sub(" ", part)).split()) for part in (_TITLE.sub(" ", seen), seen))
    return next((text for text in texts if text), "")


def in_chinese(text: str, phrases: Mapping[str, str]) -> str:
    """Text with every phrase that the source translates put into Chinese, longest first."""
    for phrase in sorted(phrases, key=len, reverse=True):
        text = re.sub(rf"(?<![A-Za-z]){re.escape(phrase)}(?![A-Za-z])", phrases[phrase], text)
    return text


def prepare(files: Files) -> Rows:
    """Rows that fill templates with texts of either language."""
    phrases: dict[str, str] = {}
    for raw in files.read(LOCALES):
        phrases |= {name: texts["zh"] for name, texts in raw.value.items() if isinstance(texts, dict) and "zh" in texts}

    def to_rows(raw: Raw) -> Iterator[Row | Drop]:
        if ".Message" not in raw.value:
            yield Drop("not a template")
            return
        for failure in FAILURES:
            page = page_text(filled(raw.value, failure))
            zh = "<html" in raw.value[:2000].lower() and bool(phrases) and draw(raw.file, failure.message) < 0.5
            yield row(raw, failure, in_chinese(page, phrases) if zh else page, "zh" if zh else "en")

    return to_rows


def questions_of(failure: Failure, key: str) -> tuple[dict[str, Question], dict[str, Any]]:
    """Questions on one failure, and their answers.

    Of four reactions three are offered: a link to a missing page might also be mended, so that one isn't offered there.
    """
    questions: dict[str, Question] = {"cause": Choice(dict.fromkeys(shuffled(CAUSES, key, "causes")))}
    gold: dict[str, Any] = {"cause": failure.cause}
    if failure.reaction is None:
        return questions, gold
    wrong = [name for name in REACTIONS if name != failure.reaction]
    out = "fix_request" if failure.cause == "gone" else pick(wrong, key, "left out")
    names = [name for name in shuffled(REACTIONS, key, "reactions") if name != out]
    questions |= {"recover": Choice(dict.fromkeys(names)), "retry_helps": Noul()}
    return questions, gold | {"recover": failure.reaction, "retry_helps": failure.reaction == "retry"}


def row(raw: Raw, failure: Failure, page: str, language: Language) -> Row:
    """Row about a link that led to an error page."""
    name = raw.file.rpartition("/")[2].removesuffix(".html").replace(".tpl", "")
    questions, gold = questions_of(failure, f"{name}-{failure.code}")
    return Row(
        upstream_id=f"{name}-{failure.code}",
        capability="failure_recovery",
        language=language,
        state={"last_step": {"action": ACTION[language], "observation": page}},
        questions=questions,
        answers={key: target(questions[key], gold[key]) for key in questions},
        tier="constructed",
        origin="derived",
        mother=name,
        group_keys=(f"template:{name}",),
    )


_PAGES = (
    "app-down", "cats", "connection", "ghost", "hacker-terminal", "l7", "lost-in-space", "noise", "orient", "shuffle",
    "win98",
)  # fmt: skip

SOURCES = (
    Source(
        name="error_pages",
        home="https://github.com/tarampampam/error-pages",
        licence="MIT",
        licence_class="open",
        languages=("en", "zh"),
        capabilities=("failure_recovery",),
        files=(
            *(File(name=f"templates/default.tpl.{kind}", reader="text") for kind in ("json", "txt", "xml")),
            *(File(name=f"templates/html/{page}.tpl.html", reader="text") for page in _PAGES),
            File(name=LOCALES, reader="json", joined=True),
        ),
        prepare=prepare,
    ),
)
