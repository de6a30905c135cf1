"""The key-value store of the edge nginx: a file that its function reads for each request."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

FILE = "edge-keys.json"


class NginxEdgeKeys:
    """The store in the `directory` of an edge."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def replace(self, values: Mapping[str, str]) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        written = self._directory / f".{FILE}"
        # As nginx's user, it is read by nobody else.
        descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(dict(values), file)
        written.rename(self._directory / FILE)
