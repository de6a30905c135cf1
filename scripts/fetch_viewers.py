"""Fetch the viewers of others that the site serves: `python3 scripts/fetch_viewers.py FOLDER`.

`viewers` of package.json pins each: a version and its checksum. They are bundles, whole in
themselves; installed as dependencies, the two would bring 504 further packages and 766 MB, none of
which is served. Needs Python and npm alone.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def fetch(name: str, pin: dict[str, Any], folder: Path) -> None:
    """Put a package's served files into `folder/name`; exit if it is not the pinned one."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        command = ["npm", "pack", "--silent", f"{name}@{pin['version']}"]
        subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        (packed,) = Path(scratch).glob("*.tgz")
        digest = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
        if f"sha512-{digest}" != pin["integrity"]:
            sys.exit(f"{name} {pin['version']} is not the package that package.json names")
        made = Path(scratch) / "made"
        with tarfile.open(packed) as archive:
            for member in archive:
                path = member.name.removeprefix("package/")
                if member.isfile() and any(fnmatch(path, one) for one in pin["files"]):
                    named = path if Path(path).suffix else f"{path}.txt"  # LICENSE
                    _write(made / named.removeprefix("dist/"), archive, member)
        shutil.rmtree(folder / name, ignore_errors=True)
        made.rename(folder / name)


def _write(path: Path, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    source = archive.extractfile(member)
    assert source is not None, "only files are read"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(source.read())


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    pins = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["viewers"]
    for name, pin in pins.items():
        fetch(name, pin, target)
