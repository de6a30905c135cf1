"""`vitrine collection export`: what is damaged is named, and the exit code says so."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from vitrine.bootstrap.deployment import Deployment
from vitrine.store.layout import metadata_key

Run = Callable[..., Result]


@pytest.mark.slow
def test_a_damaged_image_is_named_and_the_exit_code_says_so(
    run: Run, service: Deployment, picture: Path, tmp_path: Path
) -> None:
    for identifier in ("bad", "good"):
        assert run("ingest", picture, "--identifier", identifier).exit_code == 0
        picture.write_bytes(picture.read_bytes() + b" ")
        picture = picture.rename(picture.with_name("other.tif"))
    service.records.put(metadata_key("bad"), b"{}", content_type="x/y")
    done = run("collection", "export", tmp_path / "export")
    assert done.exit_code == 1
    assert '"bad" is damaged' in done.output
    assert "are complete; checksums:" in done.stdout
    assert {path.name for path in (tmp_path / "export/data/pictures").iterdir()} == {"good.tif"}
