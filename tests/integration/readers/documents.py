"""What the readers read: one object of three images, of the service and of a static copy."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from tests.unit.deliver.deliver_records import live
from vitrine.export.level0 import StaticImage
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.paths import image_path
from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.image_resource import describe_image
from vitrine.iiif.presentation.model import (
    Canvas,
    Member,
    ObjectCollection,
    Place,
    PublishedObject,
)
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2, V3
from vitrine.records import Live

BASE = "http://museum.test"
WIDTH, HEIGHT = 3001, 2003
"""Odd, so that each level has a last row and column of its own."""
LEVELS = tuple((-(-WIDTH // 2**level), -(-HEIGHT // 2**level)) for level in range(5))
LIMITS = Limits(area=25_000_000)
NAMES = ("one", "two", "three")
RIGHTS = "http://creativecommons.org/licenses/by-sa/4.0/"
DATE, EARLY = "1642-01-01T00:00:00Z", "-0043-03-15T00:00:00Z"
BUILDERS = {2: version2, 3: version3}
VERSIONS = {2: V2, 3: V3}
PLACE = Place(latitude=52.01, longitude=4.36)
OBJECT = PublishedObject(
    identifier="read",
    label={"en": ("Three charts",)},
    rights=RIGHTS,
    nav_date=DATE,
    start=1,
    canvases=tuple(Canvas(image=name) for name in NAMES),
)
"""Viewers are to open its second canvas first."""
COLLECTION = ObjectCollection(
    identifier="shelf",
    label={"en": ("A shelf",)},
    members=(Member(identifier="read", label={"en": ("Three charts",)}),),
)
Json = dict[str, Any]


def build_information(version: int, name: str = "one") -> Json:
    """Return what the service says of an image."""
    information = ImageInformation(
        uri=BASE + image_path(VERSIONS[version], name),
        width=WIDTH,
        height=HEIGHT,
        tile_width=256,
        tile_height=256,
        levels=LEVELS,
        limits=LIMITS,
        rights=RIGHTS,
    )
    return information.document(VERSIONS[version])


def build_manifest(version: int, **changes: Any) -> Json:
    """Return the object's manifest, with other properties if there are `changes`."""
    images = {name: describe_image(name, _image(name), LIMITS, downloads=True) for name in NAMES}
    item = msgspec.structs.replace(OBJECT, **changes)
    return BUILDERS[version].build_manifest(item, images, BASE)


def documents_of_service(version: int) -> dict[str, str]:
    """Return the documents that a viewer of this version asks for, by their paths."""
    found = {f"/presentation/{version}/read/manifest.json": build_manifest(version)}
    for one in VERSIONS:
        for name in NAMES:
            found[f"/iiif/{one}/{name}/info.json"] = build_information(one, name)
    return {path: json.dumps(document) for path, document in found.items()}


def documents_of_copy(version: int) -> dict[str, str]:
    """Return the same of the static copy, in which there is no other document."""
    copies = [StaticImage(_image(name), BASE) for name in NAMES]
    images = {copy.name: copy.resource() for copy in copies}
    manifest = BUILDERS[version].build_manifest(OBJECT, images, BASE)
    found = {f"/presentation/{version}/read/manifest.json": manifest}
    for one in VERSIONS.values():
        for copy in copies:
            found[f"/{copy.folder(one)}/info.json"] = copy.information(one)
    return {path: json.dumps(document) for path, document in found.items()}


def pictures_of_copy() -> set[str]:
    """Return the paths of all pictures in the static copy."""
    copies = [StaticImage(_image(name), BASE) for name in NAMES]
    return {
        f"/{copy.folder(version)}/{name}"
        for copy in copies
        for file in copy.files()
        for version, name in file.names
    }


def documents_for_tools() -> Mapping[str, Json]:
    """Return what the tools without a browser read, by names that their rows use."""
    found = {}
    for version in VERSIONS:
        found[f"information {version}"] = build_information(version)
        found[f"manifest {version}"] = build_manifest(version)
        found[f"early {version}"] = build_manifest(version, nav_date=EARLY)
        found[f"flat {version}"] = _flatten(version)
    found["placed 3"] = build_manifest(3, nav_place=PLACE)
    found["collection 2"] = version2.build_collection(COLLECTION, {}, BASE)
    found["unknown 3"] = build_manifest(3) | {"tombstone": "yes"}
    found["unknown 2"] = build_manifest(2) | {"navDate": "yesterday"}
    return found


def _flatten(version: int) -> Json:
    """Return a manifest whose first canvas has no height, which both versions forbid."""
    manifest = build_manifest(version)
    canvases = manifest["items"] if version == 3 else manifest["sequences"][0]["canvases"]
    canvases[0]["height"] = 0
    return manifest


def _image(name: str) -> Live:
    return live(name, WIDTH, HEIGHT, levels=LEVELS)
