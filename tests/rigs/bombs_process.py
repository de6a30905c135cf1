"""The process that refuses one bomb, and tells what it cost."""

import json
import sys
import time
from pathlib import Path

from tests.rigs.process_memory import peak_mebibytes
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format

_LIMITS = MasterLimits(pixels=200_000_000, bytes=1 << 30)


def main() -> None:
    """Arguments: the bomb. The default limit of 2,000 megapixels would let WebP's largest pass."""
    path = Path(sys.argv[1])
    begun = time.monotonic()
    code = "none"
    with LocalFile(path) as file:
        try:
            read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), _LIMITS)
        except MasterRejected as error:
            code = error.rejection.code
    seconds = time.monotonic() - begun
    figures = {
        "code": code,
        "seconds": round(seconds, 4),
        "peak_mebibytes": round(peak_mebibytes(), 1),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
