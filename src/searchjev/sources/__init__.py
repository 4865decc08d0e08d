"""The sources: the modules here that declare `SOURCES`; the folder is the registry, a module without is a helper."""

import difflib
import functools
import importlib
import pkgutil

from searchjev.errors import SourceError
from searchjev.source import Source


@functools.cache
def all_sources() -> dict[str, Source]:
    """Every declared source by name, in the order of names."""
    found: dict[str, Source] = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for source in getattr(module, "SOURCES", ()):
            if source.name in found:
                raise SourceError(f"source {source.name!r} is declared twice, the second time in {info.name}.py")
            found[source.name] = source
    return dict(sorted(found.items()))


def get_source(name: str) -> Source:
    """Return the source of that name; an unknown one lists near matches."""
    sources = all_sources()
    if name in sources:
        return sources[name]
    near = ", ".join(difflib.get_close_matches(name, sources, 3)) or "run 'searchjev sources' for the list"
    raise SourceError(f"unknown source {name!r}; near: {near}")
