"""Others' validators of manifests and collections."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
Json = dict[str, Any]
Judge = Callable[[list[Json]], list[list[str]]]


def _judge(*command: str | Path) -> Judge:
    def judge(documents: list[Json]) -> list[list[str]]:
        done = subprocess.run(
            command, input=json.dumps(documents), capture_output=True, text=True, cwd=ROOT
        )
        assert done.returncode == 0, done.stderr[-2_000:]
        faults: list[list[str]] = json.loads(done.stdout)
        assert len(faults) == len(documents)
        return faults

    return judge


OTHERS = (ROOT / ".build/validators/bin/python", HERE / "validate_others.py")
judge_by_schema = _judge("node", HERE / "validate_version3.js")
judge_by_prezi3 = _judge(*OTHERS, "3")
judge_by_tripoli = _judge(*OTHERS, "2")
