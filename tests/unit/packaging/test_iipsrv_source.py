"""iipsrv is built from the source that we know, and from no other."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_another_source_is_not_built(tmp_path: Path) -> None:
    # An archive that is there already is not fetched: this one is not Debian's.
    (tmp_path / "iipimage_1.1.orig.tar.bz2").write_bytes(b"not the archive")
    done = subprocess.run(
        [ROOT / "containers" / "iipsrv" / "build", tmp_path], capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "iipimage_1.1.orig.tar.bz2 is not the one we know" in done.stderr
    assert not (tmp_path / "iipsrv.fcgi").exists()
