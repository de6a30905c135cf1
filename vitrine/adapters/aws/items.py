"""Records and outcomes as DynamoDB items, and back."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from vitrine.identify.record import Gone, Live, Record, Redirect
from vitrine.ingest.outcome import Outcome
from vitrine.store.layout import identifier_digest

SHARDS = "0123456789abcdef"
"""The listing indexes are spread over 16 partitions, so that none of them is hot."""

_STATES: dict[str, type[Record]] = {"live": Live, "redirect": Redirect, "gone": Gone}
_serialise = TypeSerializer().serialize
_deserialise = TypeDeserializer().deserialize


def listing(state: str, name: str) -> str:
    """Hash key of the listing indexes: the state and the shard of `name`, such as `live#a`."""
    return f"{state}#{identifier_digest(name)[0]}"


def encode(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values as DynamoDB attribute values."""
    return {name: _serialise(_lists(value)) for name, value in values.items()}


def live_item(image: Live) -> dict[str, Any]:
    """The item of a published image."""
    extra = {
        "state": "live",
        "listing": listing("live", image.identifier),
        "changed_at": image.published_at,
    }
    return encode(asdict(image) | extra)


def gone_item(tombstone: Gone) -> dict[str, Any]:
    """The item of a tombstone."""
    extra = {"state": "gone", "listing": listing("gone", tombstone.identifier)}
    return encode(asdict(tombstone) | extra)


def outcome_item(outcome: Outcome) -> dict[str, Any]:
    """The item of an outcome."""
    extra = {"listing": listing(outcome.state, outcome.master_key)}
    return encode(asdict(outcome) | extra)


def record_from(item: Mapping[str, Any]) -> Record:
    """The record of an item of the identifiers table."""
    values = _decode(item)
    kind = _STATES[values["state"]]
    if kind is Live:
        values["levels"] = tuple((width, height) for width, height in values["levels"])
    return kind(**{field.name: values[field.name] for field in fields(kind)})


def outcome_from(item: Mapping[str, Any]) -> Outcome:
    """The outcome of an item of the outcomes table."""
    values = _decode(item)
    values["notes"] = tuple(values.get("notes", ()))
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
