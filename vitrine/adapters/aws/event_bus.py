"""An EventBridge bus."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.errors import translated
from vitrine.errors import TransientError

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient


class EventBridgeBus:
    """Sends events with source `vitrine`."""

    def __init__(self, client: "EventBridgeClient", bus: str) -> None:
        self._client = client
        self._bus = bus

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        with translated(detail_type):
            response = self._client.put_events(
                Entries=[
                    {
                        "EventBusName": self._bus,
                        "Source": "vitrine",
                        "DetailType": detail_type,
                        "Detail": json.dumps(dict(detail), ensure_ascii=False),
                    }
                ]
            )
        # put_events answers 200 even when an entry was refused.
        if response["FailedEntryCount"]:
            entry = response["Entries"][0]
            raise TransientError(f"{detail_type}: {entry.get('ErrorCode')}")
