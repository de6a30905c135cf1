"""The gateway on a folder of access masters: `python -m … MASTERS`.

Its settings come from the environment, as the real gateway's do; every file of the folder is a
live image under its own name. `PREVIOUS` redirects to the first of them, `WITHDRAWN` is gone. It
reads them from the folder, or, by our S3 adapter, from the object server that `STORE_URL` names.
"""

import os
import sys
from pathlib import Path
from typing import Any

from rigs.access_master import read_live
from rigs.folder_store import FolderStore
from rigs.object_server.server_process import RunningStore
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.server.serve import serve
from vitrine.deliver.service import GatewayService
from vitrine.identify.canary import CANARY
from vitrine.records import Gone, Redirect
from vitrine.settings.deliver import DeliverSettings

PREVIOUS = "former"
WITHDRAWN = "withdrawn"
STORE_URL = "OBJECT_SERVER_URL"
"""Variable of the environment: where the folder is served as a bucket."""
_PUBLISHED = "2026-01-01T00:00:00Z"


def service_on_folder(folder: Path, settings: DeliverSettings, **options: Any) -> GatewayService:
    """Return the gateway's service; `options` are other arguments of `GatewayService`."""
    records = [read_live(path) for path in sorted(folder.glob("*.tif"))]
    redirects = [
        Redirect(identifier=PREVIOUS, target=image.identifier, changed_at=_PUBLISHED)
        for image in records[:1]
    ]
    url = os.environ.get(STORE_URL, "")
    gone = Gone(identifier=WITHDRAWN, reason="An example.", changed_at=_PUBLISHED)
    return GatewayService(
        settings,
        store=RunningStore(url).store() if url else FolderStore(folder),
        site=MemoryObjectStore(),
        records=MemoryObjectStore(),
        table=MemoryIdentifierTable(CANARY, *records, *redirects, gone),
        **options,
    )


def main() -> None:
    """Serve until the process is stopped."""
    folder = Path(sys.argv[1])
    settings = DeliverSettings.from_environment(os.environ)
    serve(settings, lambda load: service_on_folder(folder, settings, load=load))


if __name__ == "__main__":
    main()
