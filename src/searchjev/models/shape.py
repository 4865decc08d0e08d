"""Sizes of a span encoder, shared by torch code, export and bundles."""

import msgspec

FEATURES = 5
"""Cosine features of an option (span_encoder.part_cosines)."""


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sizes of the encoder; multilingual-e5-small by default, its vocabulary cut."""

    vocabulary: int
    hidden: int = 384
    layers: int = 12
    heads: int = 12
    inner: int = 1536
    positions: int = 512
    epsilon: float = 1e-12
