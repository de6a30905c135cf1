"""`python -m rigs.object_server DIRECTORY`: prints its port, serves until SIGTERM."""

import argparse
import asyncio
import signal
from pathlib import Path

from aiohttp import web

from rigs.object_server.s3_server import ObjectServer


async def serve_directory(directory: Path, latency_seconds: float, port: int) -> None:
    """Serve on 127.0.0.1 until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    application = ObjectServer(directory, latency_seconds).application()
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=2048)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await stop.wait()
    # Without a clean-up: it would wait for the answers that are to stall.


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m rigs.object_server")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--latency-seconds", type=float, default=0.0)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    arguments = parser.parse_args()
    asyncio.run(serve_directory(arguments.directory, arguments.latency_seconds, arguments.port))


if __name__ == "__main__":
    main()
