"""What an identifier may be."""

import unicodedata

from vitrine.errors import MasterRejected, Rejection

MAXIMUM_BYTES = 255
RESERVED = frozenset({"2", "3", "ingest", "manifests", "info.json"})


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
    if len(identifier.encode()) > MAXIMUM_BYTES:
        return f"is longer than {MAXIMUM_BYTES} bytes"
    if identifier != identifier.strip():
        return "begins or ends with a blank"
    if {".", ".."} & set(identifier.split("/")):
        return 'holds a "." or ".." segment'
    if identifier in RESERVED:
        return "is a reserved word"
    if any(unicodedata.category(character).startswith("C") for character in identifier):
        return "holds a control character"
    return None
