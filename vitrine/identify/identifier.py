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
    """Unicode NFC of `text`, checked. Raises MasterRejected with code `identifier-invalid`."""
    identifier = unicodedata.normalize("NFC", text)
    problem = _problem(identifier)
    if problem:
        raise MasterRejected(
            Rejection(
                "identifier-invalid", f"The identifier {problem}.", identifier[:MAXIMUM_BYTES]
            )
        )
    return identifier


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
