"""The photo door over ports in memory, and photographs to send."""

import io
import json
import struct
import time
from email.parser import BytesParser
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from vitrine.adapters.memory.download_addresses import MemoryDownloadAddresses
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.adapters.memory.use_counter import MemoryUseCounter
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.api.photo_forms import Form, Forms
from vitrine.photos.admission import LongSlots
from vitrine.photos.application import answer
from vitrine.photos.services import PhotoServices
from vitrine.photos.thumbnails import parse_thumbnails

BASE = "https://images.example.org"
THUMBNAILS = "small = square/30,30; medium = full/!100,100; eye = pct:25,25,50,50/60,"


class PhotoBench:
    """`send` and what is under it."""

    def __init__(self, slots: Path, **limits: Any) -> None:
        self.masters = MemoryObjectStore()
        self.records = MemoryObjectStore()
        self.addresses = MemoryDownloadAddresses(self.records)
        self.forms = Forms(self.records)
        options: dict[str, Any] = {
            "most_bytes": 4 << 20,
            "most_pixels": 4_000_000,
            "most_memory_bytes": 256 << 20,
            "gps": False,
        }
        self.services = PhotoServices(
            forms=self.forms,
            uses=MemoryUseCounter(),
            masters=self.masters,
            records=self.records,
            addresses=self.addresses,
            slots=LongSlots(folder=slots, count=1),
            thumbnails=parse_thumbnails(THUMBNAILS),
            edge_url=BASE,
            **(options | limits),
        )

    def token(self, **changes: Any) -> str:
        """Return a form's token."""
        values = {
            "subject": "reading-room",
            "expires": int(time.time()) + 600,
            "photos_per_hour": 1_000,
            "most_bytes": 4 << 20,
        }
        return self.forms.sign(Form(**(values | changes)))

    def send(
        self, body: bytes, query: str = "", token: str | None = None, **headers: str
    ) -> ApiResponse:
        """Send a body; header names have `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named.setdefault("authorization", f"Bearer {self.token() if token is None else token}")
        return self.ask("POST", body, query, named)

    def ask(self, method: str, body: bytes, query: str, headers: dict[str, str]) -> ApiResponse:
        """Send a request as it is."""
        request = ApiRequest(
            method=method, path="/photos", query=query, headers=headers, body=body, caller=""
        )
        return answer(self.services, request)

    def stored(self) -> list[str]:
        """Return the keys of all masters and thumbnails."""
        keys = [
            entry.key
            for store in (self.masters, self.records)
            for entry in store.list_keys().entries
        ]
        return [key for key in keys if not key.startswith("photo-forms/")]


def parts_of(response: ApiResponse) -> tuple[dict[str, Any], list[Image.Image]]:
    """Return the JSON and the thumbnails of an answer in parts."""
    head = f"Content-Type: {response.headers['content-type']}\r\n\r\n".encode()
    message = BytesParser().parsebytes(head + response.body)
    first, *others = message.get_payload()
    document = json.loads(first.get_payload(decode=True))
    return document, [Image.open(io.BytesIO(one.get_payload(decode=True))) for one in others]


def code_of(response: ApiResponse) -> tuple[int, str]:
    """Return the status and the code of a problem."""
    assert response.headers["content-type"] == "application/problem+json"
    document = json.loads(response.body)
    assert document["status"] == response.status
    assert document["advice"]
    return response.status, str(document["type"]).removeprefix("/problems/")


def picture(width: int = 240, height: int = 160) -> Image.Image:
    """Return a picture whose quarters differ: red, green, blue and grey."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] = (200, 30, 30)
    pixels[: height // 2, width // 2 :] = (30, 200, 30)
    pixels[height // 2 :, : width // 2] = (30, 30, 200)
    pixels[height // 2 :, width // 2 :] = (128, 128, 128)
    return Image.fromarray(pixels)


def photograph(width: int = 240, height: int = 160, **options: Any) -> bytes:
    """Return a JPEG with EXIF: maker, model, date, orientation and place."""
    orientation = options.pop("orientation", 1)
    file_format = options.pop("file_format", "JPEG")
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x0112] = "Vitrine", "Door", orientation
    exif.get_ifd(0x8769)[0x9003] = "2026:11:24 12:00:00"
    exif.get_ifd(0x8769)[0x829A] = 0.008
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 30.0, 0.0)})
    file = io.BytesIO()
    picture(width, height).save(file, file_format, exif=exif, **({"quality": 90} | options))
    return file.getvalue()


def with_segment(jpeg: bytes, marker: int, payload: bytes) -> bytes:
    """Return the JPEG with one more segment at its front."""
    return jpeg[:2] + struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload + jpeg[2:]


def form_data(
    fields: dict[str, str], photo: bytes | None, media_type: str = "image/jpeg"
) -> tuple[bytes, str]:
    """Return a body of multipart/form-data, and its Content-Type."""
    parts = [
        f'--frontier\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    if photo is not None:
        head = 'Content-Disposition: form-data; name="photo"; filename="a.jpg"'
        parts.append(f"--frontier\r\n{head}\r\nContent-Type: {media_type}\r\n\r\n".encode())
        parts.append(photo + b"\r\n")
    return b"".join([*parts, b"--frontier--\r\n"]), "multipart/form-data; boundary=frontier"
