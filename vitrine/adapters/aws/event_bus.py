"""An EventBridge bus."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.errors import translate_errors
from vitrine.errors import TransientError
from vitrine.joined_calls import JoinedCalls

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_events.type_defs import PutEventsRequestEntryTypeDef

AT_ONCE = 10
"""Events in one PutEvents."""


class EventBridgeBus:
    """Sends events with source `vitrine`."""

    def __init__(self, client: "EventBridgeClient", bus: str) -> None:
        self._client = client
        self._bus = bus
        self._calls = JoinedCalls(self._send)

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        self.publish_many(detail_type, [detail])

    def publish_many(self, detail_type: str, details: Iterable[Mapping[str, Any]]) -> None:
        self._calls(
            {
                "EventBusName": self._bus,
                "Source": "vitrine",
                "DetailType": detail_type,
                "Detail": json.dumps(dict(detail), ensure_ascii=False),
            }
            for detail in details
        )

    def _send(self, entries: Sequence["PutEventsRequestEntryTypeDef"]) -> None:
        for start in range(0, len(entries), AT_ONCE):
            with translate_errors("events"):
                response = self._client.put_events(Entries=entries[start : start + AT_ONCE])
            # put_events answers 200 even if entries were rejected.
            if response["FailedEntryCount"]:
                codes = {entry.get("ErrorCode", "") for entry in response["Entries"]}
                reasons = ", ".join(sorted(codes - {""}))
                raise TransientError(f"EventBridge did not accept all events: {reasons}")
