"""What an identifier may be."""

import unicodedata

from vitrine.errors import IdentifierRefused, MasterRejected, Rejection

MAXIMUM_BYTES = 255
RESERVED = frozenset(
    {"2", "3", "4", "collection", "collections", "info.json"}
    | {"ingest", "manifest", "manifests", "presentation"}
)
"""Words that may follow `/iiif/` instead of an identifier, today or in the next version of the
APIs."""
_FORBIDDEN = ("C", "Zl", "Zp")
"""Categories of characters (Unicode, general category): controls, invisible ones, line breaks."""


def normalise_identifier(text: str) -> str:
    """Return the Unicode NFC of `text`, checked as `check_identifier` does."""
    identifier = unicodedata.normalize("NFC", text)
    check_identifier(identifier)
    return identifier


def check_identifier(identifier: str) -> None:
    """Check an identifier in NFC. Raises MasterRejected with code `identifier-invalid`."""
    problem = _find_problem(identifier)
    if problem:
        raise MasterRejected(
            Rejection(
                "identifier-invalid", f"The identifier {problem}.", identifier[:MAXIMUM_BYTES]
            )
        )


def parse_identifier(text: str) -> str:
    """Return an identifier that a person or a file gave, normalised.

    Raises IdentifierRefused with code `identifier-invalid`.
    """
    try:
        return normalise_identifier(text)
    except MasterRejected as error:
        rejection = error.rejection
        sentence = f'"{rejection.value}" cannot be an identifier. {rejection.sentence}'
        raise IdentifierRefused(rejection.code, sentence) from None


def is_identifier(text: str) -> bool:
    """Return True if a text is an identifier as it is, in Unicode NFC."""
    return not _find_problem(text) and unicodedata.is_normalized("NFC", text)


def _find_problem(identifier: str) -> str | None:
    """Return the rest of a sentence that begins with "The identifier", None for a valid one."""
    if not identifier:
        return "is empty"
    if len(identifier.encode(errors="surrogatepass")) > MAXIMUM_BYTES:
        return f"is longer than {MAXIMUM_BYTES} bytes"
    if identifier != identifier.strip():
        return "begins or ends with a space"
    # Whatever rejects such addresses treats a backslash as a slash (deliver/http/path_rules.py).
    if {".", ".."} & set(identifier.replace("\\", "/").split("/")):
        return 'contains a "." or ".." segment'
    if identifier in RESERVED:
        return "is a reserved word"
    # If all characters are printable, the common case, one call is enough.
    if not identifier.isprintable() and any(
        unicodedata.category(character).startswith(_FORBIDDEN) for character in identifier
    ):
        return "contains a control character"
    return None
