"""The key-value store of the edge nginx: a file that its function reads for each request."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkstemp

FILE = "edge-keys.json"


class NginxEdgeKeys:
    """The store in the `directory` of an edge."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def replace(self, values: Mapping[str, str]) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        # Read by nginx's user and nobody else; each writer has a file of its own.
        descriptor, written = mkstemp(prefix=f".{FILE}-", dir=self._directory)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(dict(values), file)
        Path(written).rename(self._directory / FILE)
