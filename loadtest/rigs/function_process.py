"""The gateway of a Lambda on a folder of access masters: `python -m … MASTERS`.

Events come from the Runtime API that `AWS_LAMBDA_RUNTIME_API` names. Records and access masters are
those of `gateway_process`.
"""

import sys
import time
from functools import partial
from pathlib import Path

import uvloop

from loadtest.rigs.gateway_process import service_on_folder
from vitrine.deliver.function.serve import serve_events


def main() -> None:
    """Answer events until the process is stopped."""
    uvloop.run(serve_events(partial(service_on_folder, Path(sys.argv[1]), clock=time.time)))


if __name__ == "__main__":
    main()
