"""Chinese queries with one intent of many: KUAKE-QIC (medical search), SMP-ECDT, CAIS, MASSIVE zh-CN."""

import re
from collections.abc import Iterator, Mapping

from searchjev.digest import draw
from searchjev.recipes.intents import Near, class_row
from searchjev.source import Drop, File, Files, Raw, Row, Rows, Source

QIC_NAMES: tuple[str, ...] = (
    "病情诊断", "病因分析", "治疗方案", "就医建议", "指标解读", "疾病表述", "后果表述", "注意事项", "功效作用",
    "医疗费用",
)  # fmt: skip
QIC_NEED = 0.4

SMP_DOMAINS: Mapping[str, str] = {
    "airControl_smartHome": "空调控制", "animalCries": "动物叫声", "app": "应用程序", "bus": "长途汽车",
    "calendar": "日历黄历", "carNumber": "车辆限行", "childClassics": "国学经典", "cinemas": "电影信息",
    "cityOfPro": "省市区划", "clock": "闹钟", "contacts": "联系人", "cookbook": "菜谱",
    "crossTalk": "相声小品", "dream": "解梦", "email": "邮件", "epg": "节目预告", "familyNames": "百家姓",
    "flight": "航班机票", "health": "健康常识", "historyToday": "历史上的今天", "home": "家居控制",
    "lottery": "彩票", "map": "地图导航", "match": "体育赛事", "message": "短信", "music": "音乐",
    "new": "新闻", "novel": "小说", "petrolPrice": "油价", "poetry": "诗词", "queryCapital": "省会首都",
    "radio": "电台", "riddle": "谜语", "sentenceMaking": "造句", "stock": "股票", "stroke": "笔画部首",
    "telephone": "打电话", "train": "火车票", "translation": "翻译", "tvchannel": "电视频道",
    "video": "影视视频", "weather": "天气", "website": "打开网站", "weightScaler": "重量换算",
    "wordsMeaning": "词语解释",
}  # fmt: skip
SMP_INTENTS: Mapping[str, str] = {
    "app/LAUNCH": "打开应用", "app/DOWNLOAD": "下载应用", "app/QUERY": "查找应用",
    "contacts/CREATE": "新建联系人", "contacts/QUERY": "查询联系人", "cinemas/DATE_QUERY": "查询上映时间",
    "cinemas/SCORE_QUERY": "查询影片评分", "cinemas/DESCRIPTION_QUERY": "查询影片介绍",
    "email/SEND": "发送邮件", "email/LAUNCH": "打开邮箱", "email/REPLY": "回复邮件",
    "email/FORWARD": "转发邮件", "email/CREATE": "写新邮件", "epg/QUERY": "查询电视节目单",
    "epg/LOOK_BACK": "回看电视节目", "home/CLEAN": "打扫房间", "home/TURN_ON_LIGHT": "开灯",
    "home/TURN_OFF_LIGHT": "关灯", "map/POSITION": "查询地点位置", "map/ROUTE": "查询路线",
    "message/SEND": "发送短信", "message/SENDCONTACTS": "把联系人号码发给别人", "message/VIEW": "查看短信",
    "music/PLAY": "播放音乐", "music/SEARCH": "搜索音乐", "new/PLAY": "播报新闻",
    "petrolPrice/QUERY": "查询油价", "petrolPrice/WAVE_QUERY": "查询油价涨跌", "stock/QUERY": "查询股票行情",
    "stock/CLOSEPRICE_QUERY": "查询收盘价", "stock/RISERATE_QUERY": "查询股票涨跌幅",
    "telephone/DIAL": "拨打电话", "telephone/QUERY": "查询电话号码", "weather/QUERY": "查询天气",
    "train/QUERY": "查询火车票", "flight/QUERY": "查询航班", "bus/QUERY": "查询长途汽车",
    "cookbook/QUERY": "查询菜谱做法", "video/QUERY": "查找影视视频", "poetry/QUERY": "查找诗词",
    "dream/QUERY": "解梦", "animalCries/PLAY": "播放动物叫声", "airControl_smartHome/SET": "设置空调",
    "stroke/QUERY": "查询汉字笔画部首", "sentenceMaking/QUERY": "造句", "carNumber/QUERY": "查询尾号限行",
    "crossTalk/QUERY": "找相声小品", "wordsMeaning/QUERY": "解释词语", "calendar/QUERY": "查询日历",
    "translation/TRANSLATION": "翻译", "health/QUERY": "咨询健康常识", "website/OPEN": "打开网站",
    "novel/QUERY": "查找小说", "riddle/QUERY": "猜谜语", "match/QUERY": "查询体育比赛",
    "lottery/NUMBER_QUERY": "查询彩票号码", "clock/SET_CLOCK": "设置闹钟", "radio/LAUNCH": "收听电台",
    "historyToday/HISTORY_DATE_QUERY": "查询历史上的今天",
}  # fmt: skip
CAIS_INTENTS: Mapping[str, str] = {
    "PlayMusic": "播放音乐", "PlayFMStory": "播放故事", "GetWeather": "查询天气", "Chat": "闲聊",
    "Remind": "设置提醒", "PlayPoem": "播放诗词", "PlayFMFiction": "播放小说", "PlayFMCrosstalk": "播放相声",
    "GetNews": "收听新闻", "ControlSystem": "控制设备", "PlayFMJoke": "讲笑话", "AskKnowledge": "询问知识",
    "GetDate": "查询日期", "Sing": "唱歌",
}  # fmt: skip
MUSIC_SHARE = 0.15
MASSIVE_INTENTS: Mapping[str, str] = {
    "music_likeness": "评价音乐喜好", "music_query": "查询音乐", "play_music": "播放音乐",
    "news_query": "查询新闻", "audio_volume_up": "调高音量", "audio_volume_down": "调低音量",
    "audio_volume_mute": "静音", "iot_hue_lightdim": "调暗灯光", "iot_hue_lighton": "开灯",
    "iot_hue_lightoff": "关灯", "iot_hue_lightup": "调亮灯光", "iot_hue_lightchange": "改变灯光颜色",
    "weather_query": "查询天气", "alarm_set": "设置闹钟", "alarm_query": "查询闹钟",
    "alarm_remove": "取消闹钟", "calendar_set": "添加日程", "calendar_query": "查询日程",
    "calendar_remove": "删除日程", "email_query": "查看邮件", "email_sendemail": "发送邮件",
    "play_radio": "收听电台", "play_game": "玩游戏", "play_audiobook": "播放有声书",
    "play_podcasts": "播放播客", "qa_factoid": "询问知识", "qa_definition": "询问定义",
    "qa_currency": "查询汇率", "qa_stock": "查询股票", "qa_maths": "数学计算", "transport_query": "查询交通",
    "transport_taxi": "叫出租车", "transport_ticket": "订票", "transport_traffic": "查询路况",
    "takeaway_order": "点外卖", "takeaway_query": "查询外卖", "recommendation_events": "推荐活动",
    "recommendation_locations": "推荐地点", "recommendation_movies": "推荐电影", "cooking_recipe": "查询菜谱",
    "datetime_query": "查询时间日期", "datetime_convert": "换算时区", "social_post": "发布动态",
    "social_query": "查看社交动态", "lists_query": "查看清单", "lists_createoradd": "添加到清单",
    "lists_remove": "从清单删除",
}  # fmt: skip
MASSIVE_SPLIT: Mapping[str, str] = {"train": "train", "dev": "val", "test": "test"}


def same_prefix(intents: Mapping[str, str], mark: str) -> Near:
    """Names whose labels begin with the same domain."""
    family = {name: label.partition(mark)[0] for label, name in intents.items()}
    return lambda name: [other for other in family if family[other] == family[name]]


near_smp = same_prefix(SMP_INTENTS, "/")
near_massive = same_prefix(MASSIVE_INTENTS, "_")


def qic_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Intent of a medical query, or, of a share, the kind of information wanted; the class "other" has no meaning."""
    query, label = raw["query"].strip(), raw["label"]
    if label not in QIC_NAMES or not query:
        yield Drop("class without meaning")
        return
    row_id = f"{raw.file.removesuffix('.json')}-{raw['id']}"
    as_need = draw("kuake_qic", row_id) < QIC_NEED
    capability, question_id = ("query_classification", "need") if as_need else ("intent", "intent")
    yield class_row(
        capability, question_id, query, label, QIC_NAMES, upstream_id=row_id, language="zh", split=raw.split,
        fewest=5, most=10,
    )  # fmt: skip


def smp_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Intent where it has a name, among those of near domains too; domain of the others and of every third."""
    text, label = raw["text"].strip(), f"{raw['domain']}/{raw.get('intent')}"
    domain, intent, row_id = SMP_DOMAINS.get(raw["domain"]), SMP_INTENTS.get(label), f"{raw.file}-{raw.line}"
    if not text or domain is None:
        yield Drop("no text or an unknown domain")
    elif intent is None or draw("smp_ecdt", row_id) < 1 / 3:
        yield class_row(
            "query_classification", "domain", text, domain, list(SMP_DOMAINS.values()), upstream_id=row_id,
            language="zh", split=raw.split, fewest=6, most=15,
        )  # fmt: skip
    else:
        yield class_row(
            "intent", "intent", text, intent, list(SMP_INTENTS.values()), upstream_id=row_id, language="zh",
            split=raw.split, near=near_smp,
        )  # fmt: skip


def utterances(text: str) -> list[str]:
    """Utterances of a file with a character and its slot a line, blank lines between utterances."""
    blocks = re.split(r"\n\s*\n", text.replace("\r", "").strip("\n"))
    return ["".join(line.rsplit(" ", 1)[0] for line in block.split("\n") if line.strip()) for block in blocks]


def cais_rows(found: Files) -> Rows:
    """Intent of a smart speaker's utterance; its intents stand in a file of their own, line by line."""
    intents = {name: [raw.value.strip() for raw in found.read(f"{name}.intent")] for name in ("ch.valid", "ch.test")}

    def rows(raw: Raw) -> Iterator[Row | Drop]:
        texts, labels = utterances(raw.value), intents[raw.file]
        if len(texts) != len(labels):
            yield Drop("utterances and intents differ in number")
            return
        for n, (text, label) in enumerate(zip(texts, labels, strict=True)):
            gold, row_id = CAIS_INTENTS.get(label), f"{raw.file}-{n}"
            if gold is None or not text:
                yield Drop("no text or an unknown intent")
            elif label == "PlayMusic" and draw("cais", row_id) >= MUSIC_SHARE:
                yield Drop("not drawn")
            else:
                yield class_row(
                    "intent", "intent", text, gold, list(CAIS_INTENTS.values()), upstream_id=row_id, language="zh",
                    split=raw.split, fewest=8, most=14,
                )  # fmt: skip

    return rows


def massive_rows(raw: Raw) -> Iterator[Row | Drop]:
    """Intent of an utterance; greetings and the like have no name here."""
    gold, text = MASSIVE_INTENTS.get(raw["intent"]), raw["utt"].strip()
    if gold is None or not text:
        yield Drop("no text or an intent without a name")
        return
    split = MASSIVE_SPLIT.get(raw["partition"])
    yield class_row(
        "intent", "intent", text, gold, list(MASSIVE_INTENTS.values()), upstream_id=raw["id"], language="zh",
        split=split, near=near_massive,  # type: ignore[arg-type]
    )  # fmt: skip


SOURCES = (
    Source(
        name="kuake_qic", home="https://tianchi.aliyun.com/cblue", licence="CBLUE, research use",
        licence_class="research", languages=("zh",), capabilities=("intent", "query_classification"), rows=qic_rows,
        files=(
            File(name="KUAKE-QIC_train.json", reader="json", split="train"),
            File(name="KUAKE-QIC_dev.json", reader="json", split="test"),
        ),
    ),
    Source(
        name="smp_ecdt", home="https://conference.cipsc.org.cn/smp2020", licence="evaluation data, terms not stated",
        licence_class="unknown", languages=("zh",), capabilities=("intent", "query_classification"), rows=smp_rows,
        files=(File(name="2020train.json", reader="json"),),
    ),
    Source(
        name="cais", home="https://github.com/Adaxry/CM-Net", licence="not stated", licence_class="unknown",
        languages=("zh",), capabilities=("intent",), held_out="test", prepare=cais_rows,
        files=(
            File(name="ch.valid", reader="text"), File(name="ch.test", reader="text"),
            File(name="ch.valid.intent", reader="lines", joined=True),
            File(name="ch.test.intent", reader="lines", joined=True),
        ),
    ),
    Source(
        name="massive_zh", home="https://github.com/alexa/massive", licence="CC-BY-4.0", licence_class="open",
        languages=("zh",), capabilities=("intent",), rows=massive_rows, files=(File(name="zh-CN.jsonl"),),
    ),
)  # fmt: skip
