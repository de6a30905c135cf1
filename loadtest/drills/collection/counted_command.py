"""The command `vitrine` with its calls of AWS counted: `python -m … FILE ARGUMENT...`.

FILE gets the number of calls by operation, as JSON.
"""

import atexit
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from botocore.client import BaseClient

from vitrine.cli import main as run_vitrine


def count_calls(file: Path) -> None:
    """Count every call of AWS from now on, and write the counts when the process ends."""
    calls: Counter[str] = Counter()
    client: Any = BaseClient
    make_call = client._make_api_call

    def make_and_count(self: Any, operation: str, parameters: Any) -> Any:
        calls[operation] += 1
        return make_call(self, operation, parameters)

    client._make_api_call = make_and_count
    atexit.register(lambda: file.write_text(json.dumps(calls)))


if __name__ == "__main__":
    count_calls(Path(sys.argv.pop(1)))
    run_vitrine()
