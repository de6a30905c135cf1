"""What an identifier may be."""

import unicodedata

from vitrine.errors import MasterRejected, Rejection

MAXIMUM_BYTES = 255
RESERVED = frozenset(
    {"2", "3", "4", "collection", "collections", "info.json"}
    | {"ingest", "manifest", "manifests", "presentation"}
)
"""What may follow `/iiif/` instead of an identifier, today or in the next version of the APIs."""
_REFUSED = ("C", "Zl", "Zp")
"""Categories of characters (Unicode, general category): controls, invisible ones, line breaks."""


def normalise_identifier(text: str) -> str:
    """Return the Unicode NFC of `text`, checked as `check_identifier` does."""
    identifier = unicodedata.normalize("NFC", text)
    check_identifier(identifier)
    return identifier


def check_identifier(identifier: str) -> None:
    """Check an identifier in NFC. Raises MasterRejected with code `identifier-invalid`."""
    problem = _problem(identifier)
    if problem:
        raise MasterRejected(
            Rejection(
                "identifier-invalid", f"The identifier {problem}.", identifier[:MAXIMUM_BYTES]
            )
        )


def _problem(identifier: str) -> str | None:
    if not identifier:
        return "is empty"
    if len(identifier.encode(errors="surrogatepass")) > MAXIMUM_BYTES:
        return f"is longer than {MAXIMUM_BYTES} bytes"
    if identifier != identifier.strip():
        return "begins or ends with a blank"
    # A backslash counts as a slash to those who refuse such addresses (deliver/path_rules.py).
    if {".", ".."} & set(identifier.replace("\\", "/").split("/")):
        return 'holds a "." or ".." segment'
    if identifier in RESERVED:
        return "is a reserved word"
    # All printable: the common case, in one step.
    if not identifier.isprintable() and any(
        unicodedata.category(character).startswith(_REFUSED) for character in identifier
    ):
        return "holds a control character"
    return None
