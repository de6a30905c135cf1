"""Records and outcomes as DynamoDB items, and back."""

import logging
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from vitrine.errors import RecordDamaged
from vitrine.records import (
    Outcome,
    Record,
    outcome_as_json,
    outcome_from_json,
    record_as_json,
    record_from_json,
    state,
)
from vitrine.store.layout import identifier_digest

SHARDS = "0123456789abcdef"
"""The listing indexes are spread over 16 partitions, so that no partition is hot."""

_FAULTS = (AttributeError, LookupError, TypeError, ValueError)
"""Errors from reading an item that was changed outside of the service, or restored in part."""
logger = logging.getLogger(__name__)


def listing_key(state: str, name: str) -> str:
    """Return the hash key of the listing indexes: state and shard of `name`, such as `live#a`."""
    return f"{state}#{identifier_digest(name)[0]}"


def encode_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain values as DynamoDB attribute values."""
    return {name: _encode_value(value) for name, value in values.items()}


def encode_record(record: Record) -> dict[str, Any]:
    """Return the item of a record of the identifiers table."""
    extra = {
        "listing": listing_key(state(record), record.identifier),
        "changed_at": record.changed_at,
    }
    return encode_values(record_as_json(record) | extra)


def encode_outcome(outcome: Outcome) -> dict[str, Any]:
    """Return the item of an outcome."""
    extra = {"listing": listing_key(outcome.listed_as, outcome.master_key)}
    return encode_values(outcome_as_json(outcome) | extra)


def decode_record(item: Mapping[str, Any]) -> Record | RecordDamaged:
    """Return the record of an item of the identifiers table, or why it has none, and log that."""
    values: dict[str, Any] = {}
    try:
        values = _decode_values(item)
        return record_from_json(values)
    except _FAULTS as error:
        revision = values.get("revision")
        damaged = RecordDamaged(
            item["identifier"]["S"],
            revision if type(revision) is int else 0,
            f"{type(error).__name__}: {error}",
        )
        logger.error("%s", damaged)
        return damaged


def decode_records(items: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Return the records of items, without those that are damaged."""
    found = map(decode_record, items)
    return [record for record in found if not isinstance(record, RecordDamaged)]


def decode_outcomes(items: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    """Return the outcomes of items of their table, without those that are damaged, and logged.

    The reconciler finds a master without an outcome, and ingests it again.
    """
    found: list[Outcome] = []
    for item in items:
        try:
            found.append(outcome_from_json(_decode_values(item)))
        except _FAULTS as error:
            name = item["master_key"]["S"]
            logger.error('The outcome of "%s" is damaged (%r) and counts as none', name, error)
    return found


def _decode_values(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _decode_value(value) for name, value in item.items()}


def _encode_value(value: Any) -> dict[str, Any]:
    """Return the attribute value of a plain one (DynamoDB API Reference, "AttributeValue")."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case list() | tuple():
            return {"L": [_encode_value(element) for element in value]}
        case Mapping():
            return {"M": encode_values(value)}
    raise TypeError(f"no attribute value is made of {type(value).__name__}")


def _decode_value(attribute: Mapping[str, Any]) -> Any:
    ((kind, value),) = attribute.items()
    match kind:
        case "NULL":
            return None
        case "BOOL" | "S":
            return value
        case "N":
            return int(Decimal(value))
        case "L":
            return [_decode_value(element) for element in value]
        case "M":
            return _decode_values(value)
    raise TypeError(f"no record of ours holds attribute values of type {kind}")
