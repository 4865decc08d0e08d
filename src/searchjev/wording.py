"""The wordings of every question template: `wordings/CAPABILITY.toml`, drawn by a digest of the sample id.

A file holds one table a template (the question id). Keys: `en`, `zh` (lists of wordings), `en_negated`, `zh_negated`
(noul only: wordings of the opposite statement), `options.NAME.en` / `.zh` (descriptions of a fixed choice option, or of
`true` and `false`), `levels_en`, `levels_zh` (lists of level lists of a score).
"""

import functools
from importlib import resources

import msgspec

from searchjev.errors import ConfigError
from searchjev.schema import Language


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Descriptions of one option in both languages."""

    en: list[str] = []
    zh: list[str] = []


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All wordings of one question template."""

    en: list[str] = []
    zh: list[str] = []
    en_negated: list[str] = []
    zh_negated: list[str] = []
    options: dict[str, Texts] = {}
    levels_en: list[list[str]] = []
    levels_zh: list[list[str]] = []

    def wordings(self, language: Language, *, negated: bool = False) -> list[str]:
        """Wordings of the statement, or of its opposite."""
        if negated:
            return self.zh_negated if language == "zh" else self.en_negated
        return self.zh if language == "zh" else self.en

    def levels(self, language: Language) -> list[list[str]]:
        """Level lists of a score template."""
        return self.levels_zh if language == "zh" else self.levels_en

    def descriptions(self, option: str, language: Language) -> list[str]:
        """Descriptions of a fixed option; empty when the option has none."""
        texts = self.options.get(option)
        return [] if texts is None else (texts.zh if language == "zh" else texts.en)


@functools.cache
def templates(capability: str) -> dict[str, Template]:
    """Every template of a capability by question id."""
    path = resources.files("searchjev") / "wordings" / f"{capability}.toml"
    try:
        return msgspec.toml.decode(path.read_bytes(), type=dict[str, Template])
    except FileNotFoundError:
        raise ConfigError(f"wordings/{capability}.toml: missing; a capability needs its wordings") from None
    except msgspec.DecodeError as error:
        raise ConfigError(f"wordings/{capability}.toml: {error}") from None


def template(capability: str, question_id: str) -> Template:
    """Wordings of one template; an unknown one is a ConfigError naming the file."""
    found = templates(capability)
    if question_id not in found:
        raise ConfigError(f"wordings/{capability}.toml: no table [{question_id}]; present: {', '.join(found)}")
    return found[question_id]
