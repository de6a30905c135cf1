"""Photographs of Debian's mate-backgrounds as a curator has them: a table, rules, and scans.

Titles are those that the package gives, makers, years and licences those of its copyright file
(/usr/share/doc/mate-backgrounds/copyright); what the table says of a camera and a day is in the
EXIF of the file. Descriptions and alternative texts were written for this project, from the
pictures.
"""

import csv
import shutil
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local.debian_files import DebianFile, fetch_all

PACKAGE = "mate-backgrounds"
RULES, TABLE = "collection.toml", "wallpapers.csv"
FOLDER = REPOSITORY / ".build" / "samples" / "wallpapers"


def gather_wallpapers(folder: Path = FOLDER) -> Path:
    """Write table, rules and scans into a folder; return the file of rules.

    A table or rules that somebody has changed since are kept. Raises RuntimeError if Debian's
    package cannot be fetched or has other pictures.
    """
    fetch_all(list_scans(), folder / "scans")
    for name in (TABLE, RULES):
        if not (folder / name).exists():
            shutil.copyfile(Path(__file__).with_name(name), folder / name)
    return folder / RULES


def list_scans() -> list[DebianFile]:
    """Return the pictures that the table names."""
    with Path(__file__).with_name(TABLE).open(encoding="utf-8", newline="") as table:
        return [
            DebianFile(
                name=row["File"],
                package=PACKAGE,
                path=row["File in the package"],
                sha256=row["SHA-256"],
            )
            for row in csv.DictReader(table)
            if row["File"]
        ]
