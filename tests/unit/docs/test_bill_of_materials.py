"""Bills of materials hold all that is distributed."""

import re
from pathlib import Path

import pytest

from docs.build.bill_of_materials import (
    IMAGES,
    LAYERS,
    bill,
    debian_components,
    iipsrv_component,
    image_bill,
    python_components,
    site_components,
)
from docs.build.saved_runs import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
STATUS = """\
installed\tlibtiff6\t4.5.0-6+deb12u4\tamd64
config-files\tgone\t1.0\tamd64
installed\tbase-files\t12.4+deb12u12\tamd64
"""
"""Output of `dpkg-query -W` in the form that we ask for."""


def test_every_image_and_layer_has_a_bill() -> None:
    assert set(IMAGES) == {path.parent.name for path in ROOT.glob("containers/*/Dockerfile")}
    for image, lock in IMAGES.items():
        text = (ROOT / "containers" / image / "Dockerfile").read_text()
        assert ("requirements/" in text) == (lock is not None), image
        assert lock is None or f"requirements/{lock}.txt" in text
    # Each layer has a lock of its own, as `make lock` writes it; the rest are of tools and images.
    (extras,) = re.findall(r"^LAYERS = (.*)$", MAKEFILE, re.MULTILINE)
    assert set(LAYERS) == set(extras.split())


@pytest.mark.parametrize("lock", [*LAYERS, *filter(None, IMAGES.values())])
def test_every_locked_package_is_a_component_with_its_licence(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    found = {item["purl"]: item for item in python_components(lock)}
    pins = {
        line.split(" ")[0].replace("==", "@")
        for line in text.splitlines()
        if re.match(r"\w\S*==", line) and not re.search("== '(win32|emscripten)'", line)
    }
    assert found.keys() == {f"pkg:pypi/{pin}" for pin in pins}
    assert all(item["licenses"] for item in found.values())


def test_the_site_s_bill_has_every_package_with_version_and_licence() -> None:
    found = {item["purl"]: item["licenses"][0]["license"]["id"] for item in site_components()}
    assert found == {
        "pkg:npm/@preact/signals@2.11.4": "MIT",
        "pkg:npm/@preact/signals-core@1.14.5": "MIT",
        "pkg:npm/oauth4webapi@3.8.8": "MIT",
        "pkg:npm/openseadragon@6.1.1": "BSD-3-Clause",
        "pkg:npm/preact@11.2.0": "MIT",
        "pkg:npm/mirador@4.0.0": "Apache-2.0",
        "pkg:npm/universalviewer@4.4.0": "MIT",
    }


def test_packages_of_debian_are_those_that_are_installed() -> None:
    assert [item["purl"] for item in debian_components(STATUS)] == [
        "pkg:deb/debian/libtiff6@4.5.0-6%2Bdeb12u4?arch=amd64",
        "pkg:deb/debian/base-files@12.4%2Bdeb12u12?arch=amd64",
    ]


def test_iipsrv_is_in_its_image_s_bill_with_the_hash_that_its_build_checks() -> None:
    components = {item["name"]: item for item in image_bill("iipsrv", STATUS)["components"]}
    assert set(components) == {"libtiff6", "base-files", "iipimage"}
    (found,) = components["iipimage"]["hashes"]
    build = (ROOT / "containers" / "iipsrv" / "build").read_text()
    assert f"sha256={found['content']}\n" in build
    assert iipsrv_component()["licenses"] == [{"license": {"id": "GPL-3.0-or-later"}}]


def test_equal_contents_have_equal_bills(tmp_path: Path) -> None:
    forth, back = list(debian_components(STATUS)), [*debian_components(STATUS)][::-1]
    assert bill("x", "container", forth) == bill("x", "container", back)
