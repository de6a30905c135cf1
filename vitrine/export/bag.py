"""BagIt 1.0 (RFC 8493): a folder whose files can be checked by tools of anybody's.

Our own tag files are `bagit.txt`, `bag-info.txt` and the two manifests of checksums.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from vitrine.errors import VitrineError
from vitrine.export.ledger import WrittenFile

PAYLOAD = "data"
"""Folder of the exported files, in that of the export."""
DECLARATION, MANIFEST, TAG_MANIFEST = "bagit.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"
_DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"


class BagUnusable(VitrineError):
    """A folder is no whole bag; the message is a sentence that says what is the matter."""


def write_bytes(folder: Path, path: str, body: bytes) -> WrittenFile:
    """Write a file of the export, whole or not at all."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(body)
    part.replace(target)
    return WrittenFile(path, hashlib.sha256(body).hexdigest(), len(body))


def adopt_file(folder: Path, path: str, part: Path) -> WrittenFile:
    """Move a file that was written elsewhere on the same disk to its place."""
    digest, size = _digest_file(part), part.stat().st_size
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    part.replace(target)
    return WrittenFile(path, digest, size)


def seal(folder: Path, files: Iterable[WrittenFile], source: str) -> dict[str, int]:
    """Write the tag files of a complete bag; return the number of `files` and their `bytes`.

    `source` says in words where it comes from.
    """
    count = total = 0
    part = folder / f"{MANIFEST}.part"
    with part.open("w", encoding="utf-8", newline="\n") as manifest:
        for file in files:
            manifest.write(f"{file.sha256}  {_encode_path(file.path)}\n")
            count, total = count + 1, total + file.bytes
    information = (
        f"Source-Organization: {source}\n"
        f"Bagging-Date: {datetime.now(UTC).date().isoformat()}\n"
        f"Payload-Oxum: {total}.{count}\n"
    )
    tags = [
        adopt_file(folder, MANIFEST, part),
        write_bytes(folder, DECLARATION, _DECLARATION.encode()),
        write_bytes(folder, "bag-info.txt", information.encode()),
    ]
    lines = "".join(f"{tag.sha256}  {tag.path}\n" for tag in tags)
    write_bytes(folder, TAG_MANIFEST, lines.encode())
    return {"files": count, "bytes": total}


def break_seal(folder: Path) -> None:
    """Have the folder be a bag that nobody takes for a complete one while it is written."""
    write_bytes(folder, DECLARATION, _DECLARATION.encode())
    for name in (TAG_MANIFEST, MANIFEST):
        (folder / name).unlink(missing_ok=True)


def check_bag(folder: Path) -> Iterator[str]:
    """Yield a sentence for each file that is missing or damaged. Raises BagUnusable.

    Each file is read once; stop here and nothing has been changed.
    """
    for path, digest in listed_files(folder):
        target = folder / path
        if not target.is_file():
            yield f"{path}: the file is missing."
        elif _digest_file(target) != digest:
            yield f"{path}: the file is damaged: its checksum is another one."


def listed_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield path and SHA-256 of every file of a bag. Raises BagUnusable for any other folder."""
    if not (folder / DECLARATION).is_file():
        raise BagUnusable(f"{folder} is no export: it has no {DECLARATION}.")
    if not (folder / MANIFEST).is_file():
        raise BagUnusable(
            f"{folder} is not complete: it has no {MANIFEST}. Run the export again; it continues."
        )
    with (folder / MANIFEST).open(encoding="utf-8") as manifest:
        for line in manifest:
            digest, _, rest = line.rstrip("\r\n").partition(" ")
            path = _decode_path(rest.lstrip(" *"))
            parts = PurePosixPath(path).parts
            if not parts or parts[0] != PAYLOAD or ".." in parts:
                raise BagUnusable(f'{MANIFEST} names "{path}", which is outside of the bag.')
            yield path, digest.lower()


def _digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _encode_path(path: str) -> str:
    """Return a path as manifests have it (RFC 8493, section 2.1.3)."""
    return path.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D")


def _decode_path(path: str) -> str:
    return path.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
