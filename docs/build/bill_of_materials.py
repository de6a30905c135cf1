"""Bills of materials in CycloneDX, one for each thing that is distributed: `make sbom`.

`python -m docs.build.bill_of_materials FOLDER` writes `<name>.cdx.json` for the wheel, the site,
the Lambda layers and the images. What an image holds of Debian is read from the image: it must be
built.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from docs.build.notice import licence_of, locked_packages, served_viewers
from docs.build.saved_runs import ROOT
from layers.build import MAXIMUM_MEBIBYTES

LAYERS = tuple(MAXIMUM_MEBIBYTES)
IMAGES: Mapping[str, str | None] = {
    "nginx": None,
    "gateway": "gateway",
    "iipsrv": None,
    "function": "gateway",
    "converter": "converter",
    "ocr": "ocr",
    "loadtest": "loadtest",
}
"""Images and the locks (`requirements/<name>.txt`) of what is in them."""
WITH_IIPSRV = ("iipsrv", "function")
IIPSRV = ROOT / "containers" / "iipsrv" / "iipsrv.spdx.json"
_SPDX_IDENTIFIER = re.compile(r"[A-Za-z0-9.+-]+")
_STATUS = "${db:Status-Status}\\t${Package}\\t${Version}\\t${Architecture}\\n"
Component = dict[str, Any]


def bill(name: str, kind: str, components: list[Component]) -> dict[str, Any]:
    """Return the bill of what is called `name`; `kind` is a type of CycloneDX 1.6.

    It has neither date nor serial number, so that equal contents have equal bills.
    """
    whole = {"type": kind, "name": f"vitrine-{name}", "version": version("vitrine")}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"bom-ref": f"vitrine-{name}", **whole}},
        "components": sorted(components, key=lambda item: str(item["bom-ref"])),
    }


def python_components(lock: str) -> Iterator[Component]:
    """Yield the packages of a lock. Raises ValueError: a licence is not known."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    for name, number in locked_packages(text):
        purl = f"pkg:pypi/{name}@{number}"
        yield {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": number,
            "purl": purl,
            "licenses": [_licence(licence_of(name))],
        }


def site_components() -> Iterator[Component]:
    """Yield the packages of npm that the site serves."""
    modules = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    names = modules[""]["dependencies"]
    served = {name: modules[f"node_modules/{name}"] for name in names} | served_viewers()
    for name, found in served.items():
        purl = f"pkg:npm/{name}@{found['version']}"
        yield {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": found["version"],
            "purl": purl,
            "licenses": [_licence(found["license"])],
        }


def debian_components(status: str) -> Iterator[Component]:
    """Yield the installed packages of an image, from what `dpkg-query` said."""
    for line in status.splitlines():
        state, name, number, architecture = line.split("\t")
        if state == "installed":
            purl = f"pkg:deb/debian/{name}@{number.replace('+', '%2B')}?arch={architecture}"
            yield {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "version": number,
                "purl": purl,
            }


def iipsrv_component() -> Component:
    """Return the program that we build ourselves, from what its image says of it."""
    (package,) = json.loads(IIPSRV.read_text(encoding="utf-8"))["packages"]
    locators = {item["referenceType"]: item["referenceLocator"] for item in package["externalRefs"]}
    (checksum,) = package["checksums"]
    return {
        "type": "application",
        "bom-ref": locators["purl"],
        "name": package["name"],
        "version": package["versionInfo"],
        "purl": locators["purl"],
        "cpe": locators["cpe23Type"],
        "hashes": [{"alg": "SHA-256", "content": checksum["checksumValue"]}],
        "licenses": [_licence(package["licenseDeclared"])],
    }


def read_status(image: str) -> str:
    """Return the Debian packages of an image that is built. Raises CalledProcessError."""
    done = subprocess.run(
        [
            *(ROOT / "scripts" / "container-engine", "podman", "run", "--rm", "--network=host"),
            *("--entrypoint=", f"localhost/vitrine-{image}", "dpkg-query", "-W", "-f", _STATUS),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def image_bill(image: str, status: str) -> dict[str, Any]:
    """Return the bill of an image whose Debian packages are those of `status`."""
    lock = IMAGES[image]
    return bill(
        image,
        "container",
        [
            *debian_components(status),
            *(python_components(lock) if lock else ()),
            *([iipsrv_component()] if image in WITH_IIPSRV else ()),
        ],
    )


def write_bills(folder: Path) -> list[Path]:
    """Write all bills; return their paths. Raises CalledProcessError: an image is not built."""
    bills = {"wheel": bill("wheel", "library", [])}
    bills["site"] = bill("site", "library", [*site_components()])
    bills |= {name: bill(name, "library", [*python_components(name)]) for name in LAYERS}
    bills |= {name: image_bill(name, read_status(name)) for name in IMAGES}
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, contents in bills.items():
        paths.append(folder / f"{name}.cdx.json")
        paths[-1].write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
    return paths


def _licence(expression: str) -> dict[str, Any]:
    if _SPDX_IDENTIFIER.fullmatch(expression):
        return {"license": {"id": expression}}
    return {"expression": expression}


if __name__ == "__main__":
    try:
        print(*write_bills(Path(sys.argv[1])), sep="\n")
    except subprocess.CalledProcessError as error:
        sys.exit(f"An image is not built (scripts/build-containers builds them): {error.stderr}")
