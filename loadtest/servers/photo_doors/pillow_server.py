"""Baresoil's program: Pillow makes a thumbnail and reads EXIF, by gunicorn: `… PORT WORKERS HOW`.

`HOW` is `whole`, as in the original, or `reduced`: the decoder reduces as it does for thumbnails.
"""

import io
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from gunicorn.app.base import BaseApplication
from PIL import Image, ImageFilter, ImageOps

SIDE = 500
_EXIF = 0x8769
Start = Callable[[str, list[tuple[str, str]]], object]


def make_thumbnail(photo: bytes, *, reduced: bool) -> tuple[bytes, dict[str, str]]:
    """Return a JPEG of at most `SIDE` pixels, and the EXIF fields by their numbers."""
    image: Image.Image = Image.open(io.BytesIO(photo))
    exif = image.getexif()
    fields = {str(tag): str(value) for tag, value in (dict(exif) | exif.get_ifd(_EXIF)).items()}
    if reduced:
        image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    else:
        image = ImageOps.contain(image, (SIDE, SIDE), Image.Resampling.LANCZOS)
    image = ImageOps.autocontrast(ImageOps.exif_transpose(image), cutoff=0.5)
    file = io.BytesIO()
    image.filter(ImageFilter.UnsharpMask(1, 50, 0)).save(file, "JPEG", quality=85)
    return file.getvalue(), fields


class _PillowServer(BaseApplication):  # type: ignore[misc]
    def __init__(self, port: str, workers: str, how: str) -> None:
        self._options = {"bind": f"127.0.0.1:{port}", "workers": int(workers), "backlog": 2_048}
        self._reduced = how == "reduced"
        super().__init__()

    def load_config(self) -> None:
        for name, value in (self._options | {"control_socket_disable": True}).items():
            self.cfg.set(name, value)

    def load(self) -> Callable[[dict[str, Any], Start], Iterable[bytes]]:
        return self._answer_upload

    def _answer_upload(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        photo = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        if not photo:
            start("200 OK", [("content-length", "0")])
            return []
        thumbnail, fields = make_thumbnail(photo, reduced=self._reduced)
        headers = [("content-type", "image/jpeg"), ("content-length", str(len(thumbnail)))]
        start("200 OK", [*headers, ("x-exif", json.dumps(fields)[:4_000])])
        return [thumbnail]


def main() -> None:
    """Serve until the process is stopped."""
    _PillowServer(*sys.argv[1:4]).run()


if __name__ == "__main__":
    main()
