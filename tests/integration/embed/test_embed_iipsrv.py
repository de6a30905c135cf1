"""What the real iipsrv renders carries the metadata and one colour profile."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import pyvips

from tests.integration.ingest.fastcgi import ask, run_iipsrv
from tests.unit.ingest.made_pyramids import picture, write_file
from vitrine.deliver.embed.derivatives import embed_metadata
from vitrine.deliver.embed.selection import read_derivative_metadata
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.store.tiff.entry import text
from vitrine.store.tiff.tags import Tag

DESCRIBED = Metadata({Tag.ARTIST: text("Rembrandt van Rijn"), Tag.COPYRIGHT: text("CC0")})


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Path]:
    """iipsrv on a unix socket, which embeds the profile itself."""
    with run_iipsrv(tmp_path, EMBED_ICC="1") as address:
        yield address


@pytest.mark.parametrize(
    ("request_", "components"),
    [("full/200,/0/default.jpg", 3), ("10,20,300,200/300,/90/gray.jpg", 1)],
)
def test_iipsrvs_images_carry_metadata_and_one_profile(
    server: Path, tmp_path: Path, request_: str, components: int
) -> None:
    path = tmp_path / "a.tif"
    write_file(picture(600, 400), path, metadata=DESCRIBED)
    data = path.read_bytes()
    metadata = read_derivative_metadata(
        lambda offset, length: data[offset : offset + length], len(data), name="a.tif"
    )
    rendered = ask(server, f"IIIF=a.tif/{request_}")
    body = embed_metadata(rendered, "jpg", metadata)
    assert rendered.startswith(b"\xff\xd8")
    before, after = (pyvips.Image.jpegload_buffer(image) for image in (rendered, body))
    assert (before.numpy() == after.numpy()).all()
    assert body.count(b"ICC_PROFILE\0") == (1 if components == 3 else 0)
    image = tmp_path / "x.jpg"
    image.write_bytes(body)
    command = ["exiftool", "-json", "-validate", "-warning", "-error", "-a", "-all", image]
    [seen] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert seen["ColorComponents"] == components
    assert (seen["Artist"], seen["Copyright"]) == ("Rembrandt van Rijn", "CC0")
    assert (seen["Validate"], seen.get("Warning"), seen.get("Error")) == ("OK", None, None)
