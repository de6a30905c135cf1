"""Records and outcomes as DynamoDB items, and back."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from vitrine.records import Outcome, Record, record_as_json, record_from_json, state
from vitrine.store.layout import identifier_digest

SHARDS = "0123456789abcdef"
"""The listing indexes are spread over 16 partitions, so that none of them is hot."""

_serialise = TypeSerializer().serialize
_deserialise = TypeDeserializer().deserialize


def listing(state: str, name: str) -> str:
    """Hash key of the listing indexes: the state and the shard of `name`, such as `live#a`."""
    return f"{state}#{identifier_digest(name)[0]}"


def encode(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values as DynamoDB attribute values."""
    return {name: _serialise(_lists(value)) for name, value in values.items()}


def record_item(record: Record) -> dict[str, Any]:
    """The item of a record of the identifiers table."""
    extra = {
        "listing": listing(state(record), record.identifier),
        "changed_at": record.changed_at,
    }
    return encode(record_as_json(record) | extra)


def outcome_item(outcome: Outcome) -> dict[str, Any]:
    """The item of an outcome."""
    extra = {"listing": listing(outcome.state, outcome.master_key)}
    return encode(asdict(outcome) | extra)


def record_from(item: Mapping[str, Any]) -> Record:
    """The record of an item of the identifiers table."""
    return record_from_json(_decode(item))


def outcome_from(item: Mapping[str, Any]) -> Outcome:
    """The outcome of an item of the outcomes table."""
    values = _decode(item)
    for name in ("notes", "formers"):
        values[name] = tuple(values.get(name, ()))
    names = [field.name for field in fields(Outcome) if field.name in values]
    return Outcome(**{name: values[name] for name in names})


def _decode(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(_deserialise(value)) for name, value in item.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value)
    return [_plain(element) for element in value] if isinstance(value, list) else value


def _lists(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_lists(element) for element in value]
    return value
