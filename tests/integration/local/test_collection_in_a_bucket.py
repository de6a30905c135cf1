"""A collection whose table and images are in a bucket is published from there."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.integration.local.documents import ask
from tests.integration.local.machines import draw
from vitrine.adapters.aws.access import AwsAccess

if TYPE_CHECKING:
    from conftest import Service

RULES = """
[collection]
identifier = "bucket-plates"
label = "Plates"
[source]
table = "s3://a-museum/lists/plates.csv"
masters = "s3://a-museum/scans"
[object]
identifier = "{no}"
label = "{title}"
image = "{file}"
"""


def test_a_table_and_images_in_a_bucket_become_manifests(
    service: "Service", tmp_path: Path
) -> None:
    addresses = service.addresses
    cloud = AwsAccess(addresses.emulator_url, addresses.region, dummy_credentials=True)
    s3 = cloud.client("s3")
    s3.create_bucket(Bucket="a-museum")
    draw(tmp_path / "plate.tif", 1, 300)
    s3.upload_file(str(tmp_path / "plate.tif"), "a-museum", "scans/folder/bucket-plate.tif")
    table = b"no,title,file\nbucket-1,A plate,bucket-plate.tif\n"
    s3.put_object(Bucket="a-museum", Key="lists/plates.csv", Body=table)
    rules = tmp_path / "collection.toml"
    rules.write_text(RULES)

    done = service.run("collection", "check", rules)
    assert (done.returncode, "1 image files are there" in done.stdout) == (0, True), done.stderr
    done = service.run("collection", "publish", rules)
    assert done.returncode == 0, done.stdout + done.stderr
    status, manifest = ask(f"{addresses.origin_url}/presentation/3/bucket-1/manifest.json")
    assert (status, len(manifest["items"])) == (200, 1)
    assert "bucket-plate" in str(manifest["items"])
    handed_back = (tmp_path / "plates-published.csv").read_text(encoding="utf-8-sig")
    assert "/presentation/3/bucket-1/manifest.json" in handed_back

    rules.write_text(RULES.replace("plates.csv", "none.csv"))
    done = service.run("collection", "check", rules)
    assert (done.returncode, "cannot be fetched" in done.stderr) == (2, True)
