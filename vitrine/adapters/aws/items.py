"""Records and outcomes as DynamoDB items, and back."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from boto3.dynamodb.types import TypeSerializer

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

_serialise = TypeSerializer().serialize


def listing_key(state: str, name: str) -> str:
    """Return the hash key of the listing indexes: state and shard of `name`, such as `live#a`."""
    return f"{state}#{identifier_digest(name)[0]}"


def encode_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain values as DynamoDB attribute values."""
    return {name: _serialise(_to_lists(value)) for name, value in values.items()}


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


def _decode_value(value: Mapping[str, Any]) -> Any:
    """Return a plain value; boto3's own way to it, by decimals, takes three times as long."""
    ((kind, content),) = value.items()
    match kind:
        case "S" | "BOOL":
            return content
        case "N":
            return int(content)
        case "L":
            return [_decode_value(element) for element in content]
        case "M":
            return _decode_values(content)
        case "NULL":
            return None
    raise TypeError(f"{kind} is no type of ours")


def _to_lists(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_to_lists(element) for element in value]
    if isinstance(value, Mapping):
        return {name: _to_lists(element) for name, element in value.items()}
    return value
