"""The photo door with its form keys in a folder: `python -m … FOLDER`.

Its settings come from the environment, as the real door's do. What it would store, it keeps in
memory: ask it with `store=no`.
"""

import os
import sys
from pathlib import Path

from vitrine.adapters.memory.download_addresses import MemoryDownloadAddresses
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.adapters.memory.use_counter import MemoryUseCounter
from vitrine.api.photo_forms import Forms
from vitrine.bootstrap.photos import door_services
from vitrine.photos.server import serve
from vitrine.settings.photos import PhotoSettings
from vitrine.store.layout import PHOTO_FORM_KEYS

KEYS = "form-keys.json"
"""File of the folder: the object that has the keys."""


def main() -> None:
    """Serve until the process is stopped."""
    settings = PhotoSettings.from_environment(os.environ)
    records = MemoryObjectStore()
    keys = (Path(sys.argv[1]) / KEYS).read_bytes()
    records.put(PHOTO_FORM_KEYS, keys, content_type="application/json")
    services = door_services(
        settings,
        forms=Forms(records),
        uses=MemoryUseCounter(),
        masters=MemoryObjectStore(),
        records=records,
        addresses=MemoryDownloadAddresses(records),
    )
    serve(settings, services)


if __name__ == "__main__":
    main()
