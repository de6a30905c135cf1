"""One process that judges variants: numbers on standard input, JSON lines on standard output."""

import json
import logging
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from tests.rigs.corruption.damaged_variants import Variant, damaged, variant
from tests.rigs.corruption.variant_judge import convert_pixels, prepare, same, witness
from vitrine.errors import MasterRejected


def main() -> None:
    """Arguments: the folder of undamaged masters. Ends with standard input."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    prepare()
    masters = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        for line in sys.stdin:
            number = int(line)
            begun = time.monotonic()
            verdict = _judge(variant(number), masters, Path(scratch))
            verdict |= {"number": number, "seconds": round(time.monotonic() - begun, 3)}
            print(json.dumps(verdict), flush=True)


def _judge(item: Variant, masters: Path, scratch: Path) -> dict[str, Any]:
    original = masters / f"{item.kind.name}{item.kind.suffix}"
    path = scratch / f"master{item.seed}{item.kind.suffix}"
    path.write_bytes(damaged(original.read_bytes(), item.operation, item.seed))
    try:
        return {"kind": item.kind.name, "operation": item.operation} | _verdict(
            path, original, scratch / f"witness{item.seed}.tif"
        )
    finally:
        for file in scratch.iterdir():
            file.unlink()


def _verdict(path: Path, original: Path, scratch: Path) -> dict[str, Any]:
    try:
        pixels = convert_pixels(path)
    except MasterRejected as error:
        return {"verdict": "rejected", "code": error.rejection.code, "value": error.rejection.value}
    except Exception as error:
        return {"verdict": "crashed", "value": repr(error)[:200]}
    if same(pixels, convert_pixels(original)):
        return {"verdict": "unchanged"}
    try:
        other = witness(path, scratch)
    except Exception as error:
        return {"verdict": "unwitnessed", "value": repr(error)[:200]}
    return {"verdict": "witnessed" if same(pixels, other) else "wrong"}


if __name__ == "__main__":
    main()
