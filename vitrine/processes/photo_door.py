"""The photo door, its settings read from the environment."""

import os

from vitrine.bootstrap.photos import photo_services
from vitrine.photos.server import serve
from vitrine.settings.photos import PhotoSettings


def main() -> None:
    """Serve until SIGTERM."""
    settings = PhotoSettings.from_environment(os.environ)
    serve(settings, photo_services(settings))


if __name__ == "__main__":
    main()
