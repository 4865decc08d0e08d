"""What can go wrong for a person, as exceptions that say where, what was found, what was expected and what to do."""


class SearchjevError(Exception):
    """Anything a person can mend; the CLI prints it on one line and exits 2."""


class ConfigError(SearchjevError):
    """A config file or an option is wrong."""


class SourceError(SearchjevError):
    """A source's files are missing or not what the source declares."""


class DataError(SearchjevError):
    """A row, question, state or answer is malformed."""


class TooLongError(DataError):
    """A state and question need more tokens than the model reads; carries both counts."""

    def __init__(self, message: str, *, tokens: int, limit: int) -> None:
        super().__init__(message)
        self.tokens = tokens
        self.limit = limit


class ArtifactError(SearchjevError):
    """A release, checkpoint or bundle is incomplete, altered, or made of parts that don't belong together."""


class ServiceError(SearchjevError):
    """A server could not be reached or refused the request."""
