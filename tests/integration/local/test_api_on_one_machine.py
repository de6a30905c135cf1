"""The API on one machine: through the emulator's gateway, with its Lambda, to the edge."""

import json
import re
import subprocess
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
import pyvips
from botocore.credentials import Credentials

from tests.integration.local.api_client import (
    Api,
    follow,
    letter,
    open_api,
    read_page,
    send,
    send_part,
)
from tests.integration.local.documents import ask
from tests.patience import until
from vitrine.adapters.aws.access import AwsAccess
from vitrine.bootstrap.local_service import REPOSITORY

if TYPE_CHECKING:
    from conftest import Service

PAGE = REPOSITORY / "docs/howto/use-the-api.md"
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEXT = "=== next ==="


@pytest.fixture(scope="module")
def api(service: "Service") -> Api:
    """The API of the tests' service, as the account's root."""
    return open_api(service)


def test_a_collection_has_a_page_that_follows_its_picture(api: Api) -> None:
    shelf = {
        "type": "collection",
        "identifier": "api-shelf",
        "label": {"en": ["A shelf"]},
        "thumbnail": "api-shelf-picture",
    }
    assert api.call("PUT", "/collections/api-shelf", shelf, if_none_match="*")[0] == 201
    _, _, put = api.call("GET", "/publications/api-shelf")
    page = put["address"].partition("/presentation/")[0] + "/collections/api-shelf"
    assert "api-shelf-picture" not in read_page(page)
    send(api, "api/shelf.png", "api-shelf-picture")
    until(lambda: "api-shelf-picture" in read_page(page), pause=0.5)


def test_a_master_that_was_sent_in_part_is_finished_later(api: Api) -> None:
    picture: bytes = pyvips.Image.gaussnoise(2_500, 2_500).cast("uchar").tiffsave_buffer()
    picture += bytes(16 << 20)
    body = {"key": "api/parts.tif", "identifier": "api-parts"}
    size = {"bytes": len(picture), "content_type": "image/tiff"}
    _, _, begun = api.call("POST", "/ingests", body | {"upload": size | {"in_parts": True}})
    parts = begun["parts"]
    assert len(parts["missing"]) == 2
    send_part(parts["missing"][1], picture)
    more = body | {"upload": size | {"parts": parts["name"]}}
    status, _, waiting = api.call("POST", "/ingests", more)
    assert (status, [one["start"] for one in waiting["parts"]["missing"]]) == (201, [0])
    send_part(waiting["parts"]["missing"][0], picture)
    assert api.call("POST", "/ingests", more)[0] == 202
    assert follow(api, "api/parts.tif")["state"] == "published"
    assert api.call("POST", "/ingests", more)[2]["type"] == "/problems/upload-missing"
    _, _, listed = api.call("GET", "/ingests?state=published")
    assert "api/parts.tif" in [one["key"] for one in listed["ingests"]]


def test_a_picture_becomes_an_object_at_the_edge(api: Api) -> None:
    ingest = send(api, "api/é 1.png", "api 100%/1")
    assert (ingest["state"], ingest["identifier"]) == ("published", "api 100%/1")
    path = f"/objects/{quote('api 100%/letter', safe='')}"
    record = letter("api 100%/letter", "api 100%/1")
    status, headers, put = api.call("PUT", path, record, if_none_match="*")
    assert (status, put["state"], headers["etag"]) == (201, "published", '"1"')
    status, manifest = ask(put["address"])
    assert (status, manifest["id"], len(manifest["items"])) == (200, put["address"], 1)
    status, headers, read = api.call("GET", path)
    assert (status, read, headers["etag"]) == (200, record, '"1"')
    assert api.call("GET", path, if_none_match='"1"')[0] == 304
    mine = letter("api 100%/letter", "api 100%/1", "Mine")
    assert api.call("PUT", path, mine, if_match='"1"')[0] == 200
    status, _, problem = api.call("PUT", path, record, if_match='"1"')
    assert (status, problem["type"]) == (412, "/problems/revision-changed")
    assert api.call("PUT", path, record)[0] == 428
    _, _, history = api.call("GET", path.replace("objects", "histories"))
    assert [entry["changed_by"] for entry in history["entries"]] == 2 * [
        "arn:aws:iam::000000000000:root"
    ]
    assert api.call("POST", "/publications", {"identifier": "api 100%/letter"})[0] == 200
    _, _, listed = api.call("GET", "/objects?limit=1000")
    assert {"identifier": "api 100%/letter", "kind": "object"} in listed["objects"]
    gone = api.call("DELETE", f"{path}?reason=A%20claim.", if_match='"2"')
    assert (gone[0], gone[2]["state"]) == (200, "withdrawn")
    assert api.call("GET", path)[0] == 410


def test_a_repeated_request_happens_once(api: Api) -> None:
    again = {"if_none_match": "*", "idempotency_key": str(uuid.uuid4())}
    record = letter("api-once", "api-nowhere")
    first = api.call("PUT", "/objects/api-once", record, **again)
    second = api.call("PUT", "/objects/api-once", record, **again)
    assert (first[0], second[0], first[2]) == (201, 201, second[2])
    assert second[1]["idempotency-replayed"] == "true"
    other = api.call("PUT", "/objects/api-once", letter("api-once", "x"), **again)
    assert (other[0], other[2]["type"]) == (422, "/problems/key-reused")


def test_images_are_withdrawn_restored_renamed_and_redirected_to(api: Api) -> None:
    assert send(api, "api-image.png", "api-image")["state"] == "published"
    _, headers, image = api.call("GET", "/images/api-image")
    assert (image["state"], image["width"]) == ("live", 600)
    path = "/images/api-image?reason=A%20claim."
    assert api.call("DELETE", path, if_match=headers["etag"])[2]["state"] == "gone"
    status, headers, _ = api.call("POST", "/restorations", {"identifier": "api-image"})
    assert (status, headers["location"]) == (202, "./ingests/api-image.png")
    assert follow(api, "api-image.png")["state"] == "published"
    body = {"type": "image", "old": "api-image", "new": "api-other"}
    assert api.call("POST", "/renames", body)[0] == 202
    until(lambda: api.call("GET", "/images/api-image")[2].get("target") == "api-other", pause=0.5)
    redirect = {"target": "api-other", "note": "1885"}
    assert api.call("PUT", "/redirects/api-old", redirect, if_none_match="*")[0] == 201
    _, _, listed = api.call("GET", "/redirects?target=api-other")
    names = {item["identifier"] for item in listed["redirects"]}
    assert names == {"api-old", "api-image"}
    assert api.call("DELETE", "/redirects/api-old", if_match="*")[0] == 200


def test_nobody_gets_in_without_a_signature(api: Api) -> None:
    stranger = Api(api.address, None)
    for method, path in (("GET", "/objects"), ("GET", "/openapi.json"), ("PUT", "/objects/a")):
        assert stranger.call(method, path)[0] in (401, 403)


def test_a_role_may_read_if_that_is_all_it_may(service: "Service", api: Api) -> None:
    cloud = AwsAccess(service.addresses.emulator_url, "us-east-1", dummy_credentials=True)
    iam, name = cloud.client("iam"), "api-reader"
    iam.create_user(UserName=name)
    identifier = api.address.rpartition("/")[2]
    statement = {
        "Effect": "Allow",
        "Action": "execute-api:Invoke",
        "Resource": f"arn:aws:execute-api:us-east-1:000000000000:{identifier}/$default/GET/*",
    }
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.put_user_policy(UserName=name, PolicyName="read", PolicyDocument=document)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    reader = Api(api.address, Credentials(key["AccessKeyId"], key["SecretAccessKey"]))
    assert reader.call("GET", "/objects")[0] == 200
    record = letter("api-reader", "api-nowhere")
    assert reader.call("PUT", "/objects/api-reader", record, if_none_match="*")[0] == 403
    assert api.call("GET", "/objects/api-reader")[0] == 404


def test_the_document_is_served_and_printed_alike(service: "Service", api: Api) -> None:
    served = api.call("GET", "/openapi.json")[2]
    assert served == json.loads(service.run("api", "document").stdout)
    assert served["openapi"] == "3.1.0"


def test_the_page_says_what_one_sees(service: "Service", api: Api, tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(REPOSITORY / ".venv")
    script, expected = "set -e\n", []
    for kind, text in BLOCK.findall(PAGE.read_text()):
        if kind == "sh":
            script += f"echo '{NEXT}'\n{text}"
        else:
            expected.append((script.count(NEXT), text))
    sample = service.run("image", "list", "--limit", "10000").stdout.splitlines()[-1].split()[0]
    script = script.replace("http://127.0.0.1:8080", service.addresses.edge_url)
    script = script.replace("SAMPLE", quote(sample, safe=""))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=service.environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.replace(service.addresses.edge_url, "http://127.0.0.1:8080").split(NEXT)
    for place, text in expected:
        pattern = ".*".join(map(re.escape, text.strip().split("…")))
        assert re.search(pattern, printed[place], re.DOTALL), (text, printed[place])


def ask_status(address: str) -> int:
    """Return the status that the edge answers everybody with."""
    try:
        with urllib.request.urlopen(address, timeout=180) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def put_closed(api: Api, members: list[str], access: str, **condition: str) -> int:
    collection = {
        "type": "collection",
        "identifier": "api-closed",
        "label": {"en": ["A closed shelf"]},
        "members": [{"identifier": name, "label": {"en": [name]}} for name in members],
        "access": access,
    }
    status, _, _ = api.call("PUT", "/collections/api-closed", collection, **condition)
    return int(status)


def test_a_closed_collection_closes_its_images(api: Api) -> None:
    send(api, "api/closed.png", "api-closed-1")
    record = letter("api-closed-letter", "api-closed-1")
    _, _, put = api.call("PUT", "/objects/api-closed-letter", record, if_none_match="*")
    edge = put["address"].partition("/presentation/")[0]
    image = f"{edge}/iiif/3/api-closed-1/full/100,/0/default.jpg"
    assert ask_status(image) == 200
    members = ["api-closed-letter", *(f"api-closed-z{number:03}" for number in range(60))]
    assert put_closed(api, members, "closed", if_none_match="*") == 201
    _, _, read = api.call("GET", "/access/api-closed-1")
    assert (read["access"], read["is_own"]) == ("closed", False)
    assert read["collections"] == {"api-closed": "closed"}
    # An image that joins is closed before it is uploaded.
    record["canvases"].append({"image": "api-closed-2"})
    assert api.call("PUT", "/objects/api-closed-letter", record, if_match="*")[0] == 200
    send(api, "api/closed-2.png", "api-closed-2")
    assert ask_status(f"{edge}/iiif/3/api-closed-2/info.json") == 403
    # The rest follows in slices.
    until(lambda: ask_status(image) == 403 and is_closed(api, "api-closed-z059"), pause=0.5)
    assert api.call("PUT", "/access/api-closed-2", {"access": "open"}, if_match="*")[0] == 200
    assert put_closed(api, members, "staff", if_match="*") == 200
    assert api.call("GET", "/access/api-closed-2")[2]["access"] == "open"
    assert put_closed(api, members, "", if_match="*") == 200
    assert api.call("GET", "/collections/api-closed")[2]["access"] == "staff"
    assert put_closed(api, members, "open", if_match="*") == 200
    until(lambda: ask_status(image) == 200, pause=0.5)


def is_closed(api: Api, image: str) -> bool:
    return bool(api.call("GET", f"/access/{image}")[2]["access"] == "closed")
