"""Queries spoilt by rule: typing errors, cut off, scrambled, mixed with page junk; and the rows that ask about them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from searchjev.digest import digest, draw, pick, shuffled
from searchjev.schema import Choice, Language, Noul, Question, Score, target
from searchjev.source import Raw, Row

KINDS = ("clean", "typos", "cut_off", "scrambled", "junk")
SHORT = 9
"""Characters below which a Chinese query cut off or scrambled may well read as another sound query."""

SEVERITY = ("clean", "slight", "heavy")
NEAR_KEYS = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wqrterioupsadgfhkjlxzvcnbn", strict=True))
SOUND_ALIKE = (
    "的得地 在再 做作 哪那 吗嘛 有友 好号 他她 像象 以已 需须 带戴 长常 会汇 者这 药要 治制 病并 什甚 么末 怎咋 "
    "为位 何和 几机 多朵 少绍 女吕 男南 用拥 性姓 法发 期其 大打 小晓 多夺 能楞 高搞 价加 电店 手首 "
    "新心 视事 剧具 集级 片篇 全泉 包报 水睡 油有 车扯 衣医 裤库 鞋协 套讨 儿而 童同 老劳 后候 前钱 痛通 疼腾 "
    "引银 起启 症证 炎严 可克"
)
JUNK = {
    "en": (
        "Home | About | Contact", "click here to continue", "&nbsp;&nbsp;", "<br/>", "Accept all cookies", "sign in",
        "share on facebook", "© all rights reserved", "[edit]", "page 1 of 3", "advertisement", "\\n\\n", "null",
        "utm_source=newsletter", "subscribe to our newsletter", "loading...", "related searches:", "undefined",
    ),
    "zh": (
        "首页 | 登录 | 注册", "点击展开全文", "&nbsp;", "<br/>", "上一篇 下一篇", "广告", "分享到微信", "版权所有",
        "阅读原文", "猜你喜欢", "加载中...", "扫码关注公众号", "相关搜索", "null", "举报", "第1页/共3页",
        "查看更多", "收藏本站",
    ),
}  # fmt: skip
_HAN = re.compile(r"[\u4e00-\u9fff]")
_PIECE = re.compile(r"[A-Za-z0-9]+|[\u4e00-\u9fff]{1,2}|[^\sA-Za-z0-9\u4e00-\u9fff]")
_ALIKE = {a: b for group in SOUND_ALIKE.split() for a, b in zip(group, group[1:] + group[:1], strict=True)}


def one_typo(text: str, key: str) -> str:
    """Text with one typing error: a near key, a lost, doubled or swapped letter, a character that sounds alike."""
    places = [i for i, letter in enumerate(text) if letter.lower() in NEAR_KEYS or letter in _ALIKE]
    places = [i for i in places if text[i] in _ALIKE or 0 < i and text[i - 1].isalpha()]
    places = places or [i for i in range(1, len(text)) if text[i] != text[i - 1]]
    if not places:
        return text
    i = pick(places, key, "place")
    letter = text[i]
    if letter in _ALIKE:
        return text[:i] + _ALIKE[letter] + text[i + 1 :]
    kind = pick(("key", "lost", "doubled", "swapped"), key, "kind")
    if kind == "key" and letter in NEAR_KEYS:
        return text[:i] + NEAR_KEYS[letter] + text[i + 1 :]
    if kind == "lost":
        return text[:i] + text[i + 1 :]
    return text[:i] + letter + text[i:] if kind == "doubled" else text[: i - 1] + letter + text[i - 1] + text[i + 1 :]


def typos(text: str, key: str, count: int) -> str:
    """Text with as many typing errors as asked for, or fewer where they undo one another."""
    for i in range(count):
        text = one_typo(text, f"{key}-{i}")
    return text


def cut_off(text: str, key: str) -> str:
    """First third to two thirds of a text, cut inside a word where there is one."""
    end = max(2, int(len(text) * (0.35 + 0.3 * draw(key, "cut"))))
    if not _HAN.search(text):
        while end > 2 and not (text[end - 1 : end + 1].isalpha() and text[end - 2].isalpha()):
            end -= 1
    return text[:end].rstrip()


def scrambled(text: str, key: str) -> str:
    """Pieces of a text in another order."""
    pieces = _PIECE.findall(text)
    return ("" if _HAN.search(text) else " ").join(shuffled(pieces, key, "scramble"))


def with_junk(text: str, key: str, language: Language) -> str:
    """Text among two or three pieces of page furniture."""
    pieces = shuffled(JUNK[language], key, "junk")[: 2 + digest(key, "pieces") % 2]
    place = digest(key, "place") % (len(pieces) + 1)
    return " ".join([*pieces[:place], text, *pieces[place:]])


def spoilt(text: str, key: str, kind: str, language: Language) -> tuple[str, int]:
    """Text spoilt in one way, and how badly (0 to 2)."""
    heavy = digest(key, "heavy") % 2
    if kind == "typos":
        found = typos(text, key, 4 if heavy else 1)
        return found, 1 + heavy
    if kind == "clean":
        return text, 0
    makers: dict[str, Callable[[], str]] = {
        "cut_off": lambda: cut_off(text, key),
        "scrambled": lambda: scrambled(text, key),
        "junk": lambda: with_junk(text, key, language),
    }
    return makers[kind](), 1 if kind == "junk" else 2


def noise_row(raw: Raw, key: str, text: str, language: Language) -> Row | None:
    """Row about a query left clean in two of five cases and else spoilt; None where spoiling changes nothing."""
    kind = pick(("clean", "clean", "clean", *KINDS[1:], "typos"), key, "noise")
    if kind in ("cut_off", "scrambled") and language == "zh" and len(text) < SHORT:
        kind = "typos"
    query, level = spoilt(text, key, kind, language)
    if len(_PIECE.findall(text)) < 3 or (kind != "clean" and query == text):
        return None
    questions: dict[str, Question] = {"noisy": Noul(), "kind": Choice(dict.fromkeys(KINDS))}
    gold: dict[str, Any] = {"noisy": kind != "clean", "kind": kind}
    if kind in ("clean", "typos"):
        questions["severity"], gold["severity"] = Score(list(SEVERITY)), level
    return Row(
        upstream_id=f"{key}-noise",
        capability="query_noise",
        language=language,
        state={"query": query},
        questions=questions,
        answers={name: target(question, gold[name]) for name, question in questions.items()},
        tier="constructed",
        origin="derived",
        split=raw.split,
        group_keys=(f"text:{text}",),
    )


class Neighbours:
    """Queries by the rare pieces that they share."""

    MOST = 60

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = list(dict.fromkeys(texts))
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, text in enumerate(self._texts):
            for piece in self.pieces(text):
                self._places[piece].append(place)

    @staticmethod
    def pieces(text: str) -> set[str]:
        """Words of a text, or pairs of Chinese characters."""
        text = text.lower()
        pairs = {text[i : i + 2] for i in range(len(text) - 1) if _HAN.match(text[i]) and _HAN.match(text[i + 1])}
        return pairs | {word for word in re.findall(r"[a-z0-9]+", text) if len(word) > 2}

    def of(self, text: str, count: int) -> list[str]:
        """Other queries that share most with a text but not most of their pieces, nearest first."""
        own = self.pieces(text)
        shared: Counter[int] = Counter()
        for piece in sorted(own):
            places = self._places.get(piece, [])
            if len(places) <= self.MOST:
                shared.update(places)
        ranked = sorted(shared, key=lambda place: (-shared[place], digest(text, str(place))))
        near = [self._texts[place] for place in ranked[:20] if self._texts[place] != text]
        return [other for other in near if 2 * len(own & self.pieces(other)) < len(own | self.pieces(other))][:count]


def rewrite_row(raw: Raw, key: str, text: str, near: Sequence[str], language: Language) -> Row | None:
    """Row about putting a mistyped query right: the right text, or a query that merely looks like it."""
    query = typos(text, key, 2 + digest(key, "errors") % 2)
    if query == text or len(near) < 2 or len(_PIECE.findall(text)) < 3:
        return None
    question: Question
    gold: str | bool
    if draw(key, "form") < 0.5:
        options = shuffled([text, *near[:3]], key, "order")
        name, question, gold, shown = "which_rewrite", Choice(dict.fromkeys(options)), text, {}
    else:
        gold = draw(key, "kept intent") < 0.5
        name, question, shown = "keeps_intent", Noul(), {"rewrite": text if gold else near[0]}
    return Row(
        upstream_id=f"{key}-rewrite",
        capability="rewrite",
        language=language,
        state={"query": query, **shown},
        questions={name: question},
        answers={name: target(question, gold)},
        tier="constructed",
        origin="derived",
        split=raw.split,
        group_keys=(f"text:{text}", *(f"text:{other}" for other in near[:3])),
    )
