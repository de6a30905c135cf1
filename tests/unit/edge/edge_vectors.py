"""The promises of the viewer-request function, one list for every engine that runs it."""

import json
from pathlib import Path
from typing import Any

FUNCTIONS = Path(__file__).parents[3] / "stacks/functions"
Vector = dict[str, Any]


def read_vectors() -> list[Vector]:
    """The vectors, LONG replaced by as many letters as `repeat_long` says."""
    vectors: list[Vector] = json.loads(Path(__file__).with_suffix(".json").read_text())
    for vector in vectors:
        vector["uri"] = vector["uri"].replace("LONG", "x" * vector.get("repeat_long", 0))
        vector.setdefault("method", "GET")
    return vectors


VECTORS = read_vectors()
