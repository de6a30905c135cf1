"""The official JSON schema of the Presentation API 3.0, by which all that is kept is checked.

Version 2.1 has no schema (https://github.com/IIIF/presentation-validator/issues/178).
"""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from jsonschema_rs import Draft7Validator

MAX_FAULTS = 20
_LANGUAGE = "^[a-zA-Z-][a-zA-Z-]*$"
"""Languages that the schema accepts; BCP 47 has ones with digits: es-419, de-1996."""
_BCP47 = "^[a-zA-Z-][a-zA-Z0-9-]*$"


def find_schema_faults(document: dict[str, Any]) -> list[str]:
    """Return a sentence for each place of a manifest or collection that breaks the schema."""
    validator = _compile_schema(
        "collection" if document.get("type") == "Collection" else "manifest"
    )
    if validator.is_valid(document):
        return []
    # Several parts of the schema may say the same of one place.
    found = dict.fromkeys(islice(_list_faults(validator, document), 2 * MAX_FAULTS))
    return list(found)[:MAX_FAULTS]


def _list_faults(validator: Draft7Validator, document: dict[str, Any]) -> Iterator[str]:
    for error in validator.iter_errors(document):
        place = "/".join(map(str, error.instance_path)) or "the document"
        yield f"{place}: {error.message}."


@cache
def _compile_schema(kind: str) -> Draft7Validator:
    """Return the compiled schema of a kind of document; the schema itself names no draft."""
    schema = json.loads(_read_schema(), object_pairs_hook=_with_digits)
    # An extension of IIIF's own, which is not in the schema.
    schema["classes"]["manifest"]["allOf"][1]["properties"]["navPlace"] = {"type": "object"}
    root = {"$ref": f"#/classes/{kind}", "types": schema["types"], "classes": schema["classes"]}
    return Draft7Validator(root, mask="it", validate_formats=True)


def _read_schema() -> str:
    return (files(__package__) / "presentation_3.schema.json").read_text(encoding="utf-8")


def _with_digits(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return part of the schema, its languages as BCP 47 has them."""
    return {
        (_BCP47 if name == _LANGUAGE else name): (_BCP47 if value == _LANGUAGE else value)
        for name, value in pairs
    }
