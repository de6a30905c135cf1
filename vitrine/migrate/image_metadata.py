"""Keeps what the manifest says of an image, for the manifests of IIIF Presentation."""

import json
from collections.abc import Mapping
from typing import Any

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.store.layout import metadata_key

CONTENT_TYPE = "application/json"


def keep_metadata(
    records: ObjectStore, identifier: str, master_key: str, metadata: Mapping[str, Any]
) -> None:
    """Write one JSON object: `identifier`, `master_key`, `metadata` with the manifest's columns.

    Nothing is written where the manifest says nothing, or what is there already. Raises
    TransientError.
    """
    if not metadata:
        return
    told = {"identifier": identifier, "master_key": master_key, "metadata": dict(metadata)}
    body = json.dumps(told, ensure_ascii=False, indent=1).encode()
    key = metadata_key(identifier)
    try:
        if records.get(key)[0] == body:
            return
    except ObjectMissing:
        pass
    records.put(key, body, content_type=CONTENT_TYPE)
