"""Objects of any size, sent, fetched and copied in parts by several threads.

Few processes do that, so this module is imported where it is used.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from s3transfer.exceptions import RetriesExceededError
from s3transfer.manager import TransferConfig, TransferManager
from s3transfer.subscribers import BaseSubscriber

from vitrine.errors import TransientError

MEBIBYTE = 1024 * 1024
GIBIBYTE = 1024 * MEBIBYTE
_FILES = TransferConfig(
    multipart_threshold=16 * MEBIBYTE,
    multipart_chunksize=16 * MEBIBYTE,
    max_request_concurrency=8,
    # The pieces that threads pass to the one that writes. 256 KiB, the default, cost three times
    # the CPU; the length of the queue bounds its memory.
    io_chunksize=MEBIBYTE,
    max_io_queue_size=32,
)
_COPIES = TransferConfig(
    multipart_threshold=4 * GIBIBYTE, multipart_chunksize=256 * MEBIBYTE, max_request_concurrency=8
)
"""S3 copies up to 5 GB in one request, without any byte passing here."""


def download(client: Any, bucket: str, key: str, file: IO[bytes], version: str = "") -> None:
    """Write an object to `file`. Raises TransientError for connections that keep breaking."""
    extra = {"VersionId": version} if version else None
    with _transfers(client, key, _FILES) as manager:
        manager.download(bucket, key, file, extra_args=extra).result()


def upload(
    client: Any,
    file: IO[bytes],
    bucket: str,
    key: str,
    extra: dict[str, Any],
    on_progress: Callable[[int], None] | None,
) -> None:
    """Make an object of `file`; `on_progress` takes the bytes of each piece that was sent."""
    subscribers: list[Any] = [_Progress(on_progress)] if on_progress else []
    with _transfers(client, key, _FILES) as manager:
        manager.upload(file, bucket, key, extra_args=extra, subscribers=subscribers).result()


def copy(
    client: Any, source: Mapping[str, str], bucket: str, key: str, extra: dict[str, Any]
) -> None:
    """Make an object of another one, within S3."""
    with _transfers(client, key, _COPIES) as manager:
        manager.copy(dict(source), bucket, key, extra_args=extra).result()


@contextmanager
def _transfers(client: Any, key: str, config: TransferConfig) -> Iterator[TransferManager]:
    try:
        with TransferManager(client, config) as manager:
            yield manager
    except RetriesExceededError as error:
        raise TransientError(f"{key}: {error.last_exception}") from error


class _Progress(BaseSubscriber):
    def __init__(self, on_progress: Callable[[int], None]) -> None:
        self._on_progress = on_progress

    def on_progress(self, future: Any, bytes_transferred: int, **_: Any) -> None:
        """Pass on what one piece has moved."""
        self._on_progress(bytes_transferred)
