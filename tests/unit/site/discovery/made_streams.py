"""A good stream of three pages, which tests break in one place."""

import json
from typing import Any

from vitrine.site.discovery.properties import CONTEXT
from vitrine.sources.harvest.guarded_http import NotHarvested

BASE = "https://museum.example"
COLLECTION = f"{BASE}/activity/all-changes.json"


def page_address(number: int) -> str:
    return f"{BASE}/activity/page-{number}.json"


def manifest(name: str) -> dict[str, Any]:
    return {"id": f"{BASE}/{name}/manifest.json", "type": "Manifest"}


def activity(kind: str, name: str, day: int, **more: Any) -> dict[str, Any]:
    moment = f"2026-11-{day:02}T10:00:00Z"
    return {"type": kind, "object": manifest(name), "endTime": moment, **more}


class Stream:
    """Documents by address; what is not there is not found."""

    def __init__(self) -> None:
        refresh = {"type": "Refresh", "startTime": "2026-11-03T00:00:00Z"}
        pages = [
            [activity("Create", "a", 1), activity("Create", "b", 2)],
            [refresh, activity("Update", "a", 3), activity("Update", "b", 3)],
            [activity("Move", "a", 4, target=manifest("c")), activity("Delete", "b", 5)],
        ]
        self.documents: dict[str, dict[str, Any]] = {
            COLLECTION: {
                "@context": CONTEXT,
                "id": COLLECTION,
                "type": "OrderedCollection",
                "totalItems": sum(map(len, pages)),
                "first": self._link(0),
                "last": self._link(2),
            },
            f"{BASE}/c/manifest.json": manifest("c"),
        }
        start = 0
        for number, items in enumerate(pages):
            page = {
                "@context": CONTEXT,
                "id": page_address(number),
                "type": "OrderedCollectionPage",
                "startIndex": start,
                "partOf": {"id": COLLECTION, "type": "OrderedCollection"},
                "orderedItems": items,
            }
            if number:
                page["prev"] = self._link(number - 1)
            if number < len(pages) - 1:
                page["next"] = self._link(number + 1)
            self.documents[page_address(number)] = page
            start += len(items)

    @staticmethod
    def _link(number: int) -> dict[str, str]:
        return {"id": page_address(number), "type": "OrderedCollectionPage"}

    @property
    def collection(self) -> dict[str, Any]:
        return self.documents[COLLECTION]

    def page(self, number: int) -> dict[str, Any]:
        return self.documents[page_address(number)]

    def item(self, page: int, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self.page(page)["orderedItems"][number]
        return found

    def fetch(self, address: str) -> bytes:
        if address not in self.documents:
            raise NotHarvested(f"{address} answers 404")
        return json.dumps(self.documents[address]).encode()
