"""The processes of the photo door: gunicorn on a Unix socket behind the task's nginx.

Processes of their own, away from the gateway's event loop: they decode bytes from anybody, and one
that hangs or dies is replaced without a tile being late.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication

from vitrine.photos.services import PhotoServices
from vitrine.photos.wsgi import PhotoDoor
from vitrine.settings.photos import PhotoSettings

STOP_SECONDS = 60
"""For the requests that are under way at SIGTERM; also after which a silent process is killed."""
_REQUESTS_OF_A_PROCESS = 2_000
"""After which it is replaced, with what libraries may have leaked."""


def photo_socket(work_directory: Path) -> Path:
    """Return the path of the Unix socket on which nginx reaches the door."""
    return work_directory / "run" / "photos.sock"


def serve(settings: PhotoSettings, services: PhotoServices) -> None:
    """Serve until SIGTERM."""
    # Not for all loggers: at DEBUG, botocore writes the bodies that it sends.
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("vitrine").setLevel(settings.log_level)
    _PhotoServer(settings, lambda: PhotoDoor(services)).run()


class _PhotoServer(BaseApplication):  # type: ignore[misc]
    """Gunicorn with our options, and no file or command line that changes them."""

    def __init__(self, settings: PhotoSettings, make: Callable[[], PhotoDoor]) -> None:
        self._settings = settings
        self._make = make
        super().__init__()

    def load_config(self) -> None:
        """Set the options."""
        for name, value in _options(self._settings).items():
            self.cfg.set(name, value)

    def load(self) -> PhotoDoor:
        """Return the application, before the processes are forked."""
        return self._make()


def _options(settings: PhotoSettings) -> dict[str, Any]:
    work = Path(settings.work_directory)
    return {
        "bind": f"unix:{photo_socket(work)}",
        "umask": 0o077,
        "workers": settings.photo_workers,
        # A thread for each photograph that nginx lets in: most wait for bytes, or for their turn.
        "worker_class": "gthread",
        "threads": settings.photo_queue,
        "preload_app": True,
        "backlog": settings.photo_queue,
        "timeout": STOP_SECONDS,
        "graceful_timeout": STOP_SECONDS,
        "max_requests": _REQUESTS_OF_A_PROCESS,
        "max_requests_jitter": _REQUESTS_OF_A_PROCESS // 10,
        "worker_tmp_dir": str(work / "run"),
        "control_socket_disable": True,
        "proc_name": "photos",
        "loglevel": "info",
    }
