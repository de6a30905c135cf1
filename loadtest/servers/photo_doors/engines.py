"""The doors that are compared, by their names."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from loadtest.servers.iiif_processor.iiif_processor import install_node_modules
from loadtest.servers.photo_doors.engine import PEERS, SIDE, Engine, post_photograph
from loadtest.servers.photo_doors.our_door import our_engine
from rigs.photo_door import WORKERS
from rigs.rig import Rig, running_rig
from vitrine.bootstrap.local_service import REPOSITORY

_HERE = Path(__file__).parent


def on_node(name: str) -> Engine:
    """Return one of the engines in node/server.js."""
    installed = PEERS / "photo-doors"
    command = ["node", str(installed / "server.js"), name, "{port}", str(WORKERS), str(SIDE)]

    def start() -> AbstractContextManager[Rig]:
        install_node_modules(_HERE / "node", installed)
        environment = {"NODE_ENV": "production"}
        return running_rig(name, {name: command}, lambda *_: environment, ready="/ready")

    return Engine(name=name, start=start, send=post_photograph)


def pillow_engine(name: str, how: str) -> Engine:
    """Return Baresoil's program on gunicorn."""
    module = "loadtest.servers.photo_doors.pillow_server"
    command = [sys.executable, "-m", module, "{port}", str(WORKERS), how]
    environment = {"PYTHONPATH": str(REPOSITORY)}
    return Engine(
        name=name,
        start=lambda: running_rig(name, {name: command}, lambda *_: environment, ready="/"),
        send=post_photograph,
    )


ENGINES: dict[str, Callable[[], Engine]] = {
    "ours": lambda: our_engine("ours", "medium"),
    "ours-form": lambda: our_engine("ours-form", "medium", form=True),
    "ours-three": lambda: our_engine("ours-three", "small,medium,large"),
    "sharp": lambda: on_node("sharp"),
    "sharp-careful": lambda: on_node("sharp-careful"),
    "ipx": lambda: on_node("ipx"),
    "iiif-processor": lambda: on_node("iiif-processor"),
    "pillow": lambda: pillow_engine("pillow", "whole"),
    "pillow-reduced": lambda: pillow_engine("pillow-reduced", "reduced"),
}
"""Doors by the names that the command takes."""
