#!/usr/bin/env python3
"""Build the wheel from what git tracks, with the site bundled in it: `build_wheel.py FOLDER`.

No file that happens to lie in a folder slips in, and what is installed publishes a site without
Node and without the repository. Writes one wheel into FOLDER and prints its path.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from vitrine.local.site_bundle import pack_site

ROOT = Path(__file__).resolve().parents[1]
UV = Path(sys.executable).with_name("uv")
PACKAGES = ("vitrine", "rigs", "loadtest", "capacity")
OTHERS = ("pyproject.toml", "README.md", "LICENSE", "NOTICE")


def build_wheel(folder: Path) -> Path:
    """Return the new wheel, the only one in `folder`."""
    with TemporaryDirectory(prefix="vitrine-wheel-") as scratch:
        source = Path(scratch) / "source"
        for name in list_tracked(*PACKAGES, *OTHERS):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
        pack_site(source / "vitrine" / "packed_site")
        command: list[str | Path] = [UV, "build", "-q", "--wheel", "--no-build-isolation"]
        command += ["--python", sys.executable, "-o", folder, source]
        subprocess.run(command, check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def list_tracked(*names: str) -> list[str]:
    """Return the files that git tracks below these names."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *names], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return listed.stdout.splitlines()


if __name__ == "__main__":
    print(build_wheel(Path(sys.argv[1])))
