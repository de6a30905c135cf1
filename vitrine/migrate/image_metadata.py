"""An image's metadata from the manifest, kept for the manifests of IIIF Presentation."""

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

    Nothing is written if there is no metadata, or if it has not changed. Raises TransientError.
    """
    if not metadata:
        return
    document = {"identifier": identifier, "master_key": master_key, "metadata": dict(metadata)}
    body = json.dumps(document, ensure_ascii=False, indent=1).encode()
    key = metadata_key(identifier)
    try:
        if records.get(key)[0] == body:
            return
    except ObjectMissing:
        pass
    records.put(key, body, content_type=CONTENT_TYPE)
