"""A folder follows a IIIF collection: manifests that changed, images once, failures one by one."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
    collection3,
    iiif_server,
    information,
    manifest3,
)
from vitrine.sources.harvest.guarded_http import GuardedHttp, NotHarvested, PublicOnly
from vitrine.sources.harvest.kept_folder import Harvest, read_state
from vitrine.sources.iiif.manifest_folder import COLLECTIONS, ManifestFolder

ONE, TWO = "/iiif/3/one", "/iiif/3/two"


@pytest.fixture
def server() -> Iterator[IiifServer]:
    made = IiifServer(
        documents={
            "/top.json": collection3("/top.json", ("Manifest", "/b1"), ("Collection", "/inner")),
            "/inner": collection3("/inner", ("Manifest", "/b2"), ("Collection", "/top.json")),
            "/b1": manifest3("/b1", ONE, TWO),
            "/b2": manifest3("/b2", TWO),
        },
        images={ONE: information(3, 40, 30), TWO: information(3, 20, 10)},
    )
    with iiif_server(made) as started:
        yield started


@pytest.fixture
def folder(server: IiifServer, tmp_path: Path) -> ManifestFolder:
    return of(tmp_path, server, "/top.json")


def of(place: Path, server: IiifServer, path: str) -> ManifestFolder:
    http = GuardedHttp(private_too=True)
    return ManifestFolder(place / "manifests", f"{server.address}{path}", http, place / "images")


def counts(done: Harvest) -> tuple[int, ...]:
    return done.new, done.changed, done.unchanged, done.deleted, done.images


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "harvest.state")


def test_manifests_of_nested_collections_are_fetched_once_with_their_images(
    folder: ManifestFolder,
) -> None:
    done = folder.harvest()
    assert (counts(done), done.failures) == ((2, 0, 0, 0, 2), [])
    assert names(folder.masters) == ["one.jpg", "two.jpg"]
    assert (folder.masters / "one.jpg").read_bytes().startswith(b"\xff\xd8")


def test_what_was_never_fetched_cannot_be_unchanged(
    server: IiifServer, folder: ManifestFolder
) -> None:
    server.trouble = lambda path: (304, {}, b"") if path == "/b1" else None
    done = folder.harvest()
    assert (done.new, done.unchanged) == (1, 0)
    assert done.failures == [f"{server.address}/b1 answers 304"]


def test_a_second_harvest_fetches_no_image_and_no_manifest_again(
    server: IiifServer, folder: ManifestFolder
) -> None:
    folder.harvest()
    server.requests.clear()
    assert counts(folder.harvest()) == (0, 0, 2, 0, 0)
    assert sorted(server.requests) == ["/b1", "/b2", "/inner", "/top.json"]


def test_what_changed_and_what_is_no_longer_listed_is_noticed(
    server: IiifServer, folder: ManifestFolder
) -> None:
    folder.harvest()
    server.documents["/b1"]["label"] = {"en": ["Another title"]}
    server.documents["/inner"] = collection3("/inner")
    assert counts(folder.harvest()) == (0, 1, 0, 1, 0)
    assert len(names(folder.folder)) == 1


def test_everything_again_fetches_images_again(folder: ManifestFolder) -> None:
    folder.harvest()
    assert counts(folder.harvest(everything=True)) == (0, 0, 2, 0, 3)


def test_pages_of_a_collection_are_followed(server: IiifServer, tmp_path: Path) -> None:
    server.documents |= {
        "/paged": {
            "@id": "SERVER/paged",
            "@type": "sc:Collection",
            "label": "Paged",
            "first": "SERVER/paged?1",
        },
        "/paged?1": {"@type": "sc:Collection", "manifests": [{"@id": "SERVER/b1"}]}
        | {"next": "SERVER/paged?2"},
        "/paged?2": {"@type": "sc:Collection", "manifests": [{"@id": "SERVER/b2"}]},
    }
    assert counts(of(tmp_path, server, "/paged").harvest())[0] == 2
    server.documents["/paged?2"]["next"] = "SERVER/paged?1"
    with pytest.raises(NotHarvested, match="names the same page again"):
        of(tmp_path, server, "/paged").harvest()


def test_a_single_manifest_is_a_source(server: IiifServer, tmp_path: Path) -> None:
    assert counts(of(tmp_path, server, "/b2").harvest()) == (1, 0, 0, 0, 1)


@pytest.mark.parametrize("gone", ["/b1", "/inner", ONE + "/full/max/0/default.jpg"])
def test_what_does_not_answer_is_named_and_the_rest_is_fetched(
    server: IiifServer, folder: ManifestFolder, gone: str
) -> None:
    server.trouble = lambda path: (404, {}, b"") if path == gone else None
    done = folder.harvest()
    assert done.failures == [f"{server.address}{gone} answers 404"]
    assert counts(done)[0] == (2 if gone.startswith(ONE) else 1)
    server.trouble = lambda path: None
    assert folder.harvest().failures == []
    assert len(names(folder.folder)) == 2
    assert len(names(folder.masters)) == 2


def test_a_collection_that_does_not_answer_removes_nothing(
    server: IiifServer, folder: ManifestFolder
) -> None:
    folder.harvest()
    server.trouble = lambda path: (403, {}, b"") if path == "/inner" else None
    before = read_state(folder.folder)[COLLECTIONS]
    assert len(before) == 2
    assert folder.harvest().deleted == 0
    assert len(names(folder.folder)) == 2
    assert {one["address"] for one in read_state(folder.folder)[COLLECTIONS]} == {
        one["address"] for one in before
    }


def test_a_page_of_an_error_replaces_no_manifest(
    server: IiifServer, folder: ManifestFolder
) -> None:
    folder.harvest()
    before = [path.read_bytes() for path in sorted(folder.folder.glob("*.json"))]
    answer = (200, {"ETag": '"new"'}, b"<html>Down for maintenance</html>")
    server.trouble = lambda path: answer if path == "/b1" else None
    assert "/b1 cannot be used: it is not JSON" in folder.harvest().failures[0]
    assert [path.read_bytes() for path in sorted(folder.folder.glob("*.json"))] == before
    server.trouble = lambda path: None
    server.documents["/b1"]["label"] = {"en": ["Another title"]}
    assert folder.harvest().changed == 1


def test_a_file_that_is_no_image_is_not_kept(server: IiifServer, folder: ManifestFolder) -> None:
    server.trouble = lambda path: (200, {}, b"<html/>") if path.endswith(".jpg") else None
    done = folder.harvest()
    assert "answers something that is no image" in done.failures[0]
    assert names(folder.masters) == []


def test_a_server_that_leads_to_this_machine_gets_no_request(
    server: IiifServer, folder: ManifestFolder
) -> None:
    guarded = ManifestFolder(folder.folder, folder.address, GuardedHttp(), folder.masters)
    with pytest.raises(PublicOnly, match="is not on the public internet"):
        guarded.harvest()
    assert server.requests == []


def test_a_public_manifest_cannot_lead_to_a_private_image(
    server: IiifServer, folder: ManifestFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its images are on another server of this machine, which is not asked."""
    from vitrine.sources.harvest import guarded_http

    judged, first = guarded_http.public_address, int(server.address.rpartition(":")[2])
    monkeypatch.setattr(
        guarded_http,
        "public_address",
        lambda host, port: host if port == first else judged(host, port),
    )
    with iiif_server(IiifServer(images={ONE: information(3, 4, 4)})) as inside:
        text = str(server.documents["/b1"]).replace(f"SERVER{ONE}", f"{inside.address}{ONE}")
        server.documents["/b1"] = ast.literal_eval(text)
        guarded = ManifestFolder(folder.folder, folder.address, GuardedHttp(), folder.masters)
        assert "is not on the public internet" in guarded.harvest().failures[0]
        assert inside.requests == []


def test_no_address_leads_out_of_the_folders(server: IiifServer, tmp_path: Path) -> None:
    server.documents["/b2"]["id"] = "SERVER/..%2F..%2Fetc/manifest"
    server.images["/iiif/3/..%2f..%2Fpasswd"] = information(3, 2, 2)
    server.documents["/b2"]["items"] = manifest3("/b2", "/iiif/3/..%2f..%2Fpasswd")["items"]
    of(tmp_path, server, "/b2").harvest()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["images", "manifests"]
    assert names(tmp_path / "images") == []


def test_a_folder_of_another_source_is_left_alone(
    server: IiifServer, folder: ManifestFolder, tmp_path: Path
) -> None:
    folder.harvest()
    with pytest.raises(NotHarvested, match="has records of http"):
        of(tmp_path, server, "/b2").harvest()


def test_a_collection_that_is_suddenly_empty_removes_nothing(
    server: IiifServer, folder: ManifestFolder
) -> None:
    folder.harvest()
    server.documents["/top.json"] = collection3("/top.json")
    with pytest.raises(NotHarvested, match="has no records any more"):
        folder.harvest()
    assert len(names(folder.folder)) == 2


@pytest.mark.parametrize("document", [{"type": "Annotation"}, {}, [], "text", None])
def test_what_is_neither_a_collection_nor_a_manifest_is_refused(
    server: IiifServer, tmp_path: Path, document: object
) -> None:
    server.documents["/other"] = document
    with pytest.raises(NotHarvested, match="neither a"):
        of(tmp_path, server, "/other").harvest()


def test_collections_nested_without_end_are_left(server: IiifServer, tmp_path: Path) -> None:
    for number in range(60):
        inner = collection3(f"/c{number}", ("Collection", f"/c{number + 1}"), ("Manifest", "/b2"))
        server.documents[f"/c{number}"] = inner
    done = of(tmp_path, server, "/c0").harvest()
    assert done.failures == [f"{server.address}/c49 has collections that are nested too deeply"]
    assert done.new == 1
