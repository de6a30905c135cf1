"""What the Lambda layers and the containers ship of the packages installed for them.

Standard library only: images run this file while they are built, as
`python3 contents.py SITE_PACKAGES SERVICE …`; the services are those of AWS that they call.
"""

import gzip
import json
import re
import shutil
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

if __package__:
    from layers.hollow_library import MACHINES, hollow_library
    from layers.stripped_library import stripped_library
else:
    from hollow_library import MACHINES, hollow_library  # type: ignore[import-not-found, no-redef]
    from stripped_library import stripped_library  # type: ignore[import-not-found, no-redef]

LEFT_OUT = (
    *("wrapt-stubs", "**/__pycache__", "**/tests", "**/RECORD", "**/INSTALLER", "**/REQUESTED"),
    *("**/direct_url.json", "**/uv_cache.json", "**/uv_build.json", ".lock"),
    # Of numpy: headers and stubs for compilers, and parts that nothing here imports.
    *("numpy/**/*.pyi", "numpy/**/*.a", "numpy/f2py", "numpy/_core/include", "numpy/random"),
    *("numpy/fft", "numpy/**/_simd.*.so", "numpy/**/*_tests.*.so", "numpy/testing"),
    *("imagecodecs/*", "imagecodecs.libs/*", "aws_lambda_powertools/event_handler"),
    # Of lxml: its sources, and what is built on its trees.
    *("lxml/*.p[yx][xi]", "lxml/*.h", "lxml/includes", "lxml/isoschematron", "lxml/html"),
    *("lxml/objectify*", "lxml/sax*", "lxml/builder*", "lxml/doctestcompare.py"),
)
KEPT = (
    *("imagecodecs/__init__.py", "imagecodecs/imagecodecs.py", "imagecodecs/_jpeg8*"),
    *("imagecodecs/_shared*", "imagecodecs.libs/libjpeg-*"),
    *("imagecodecs/_jpeg2k*", "imagecodecs.libs/libopenjp2-*", "imagecodecs.libs/liblcms2-*"),
)
"""Two of the hundred codecs: libjpeg-turbo, as our writer calls it, and OpenJPEG (with the
colour engine that its wrapper is linked to) for JPEG 2000 masters."""

_ALGEBRA = "libscipy_openblas*"
_ALGEBRA_LANGUAGE = ("libgfortran-*", "libquadmath-*")
_ALGEBRA_FUNCTION = re.compile(rb"scipy_\w+64_")
_SELF_TEST = "    _sanity_check()\n"
"""At its import numpy multiplies two vectors, to find a broken OpenBLAS."""


def prune(packages: Path) -> None:
    """Delete what is not shipped from the folder `packages`: files, symbols, linear algebra.

    Raises RuntimeError when numpy is not the one that this was written for.
    """
    kept = {path for pattern in KEPT for path in packages.glob(pattern)}
    for pattern in LEFT_OUT:
        for path in set(packages.glob(pattern)) - kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if (packages / "numpy").exists():
        _remove_algebra(packages)
    for path in packages.rglob("*.so*"):
        path.write_bytes(stripped_library(path.read_bytes()))


def keep_services(packages: Path, services: Collection[str]) -> None:
    """Keep what botocore's clients of `services` read, all of it in memory, and no more.

    Raises RuntimeError when botocore does not describe one of them.
    """
    data = packages / "botocore" / "data"
    for folder in (path for path in data.iterdir() if path.is_dir()):
        if folder.name not in services:
            shutil.rmtree(folder)
    prefixes = {_shorten_models(data, name) for name in services}
    path = data / "endpoints.json"
    endpoints = json.loads(path.read_bytes())
    for partition in endpoints["partitions"]:
        described = partition["services"].items()
        partition["services"] = {name: where for name, where in described if name in prefixes}
    path.write_text(json.dumps(endpoints))


def _shorten_models(data: Path, service: str) -> str:
    """Empty the documentation of a service's models; return its name in addresses."""
    prefix = ""
    for path in sorted(data.glob(f"{service}/*/service-2.json.gz")):
        model = _empty_documentation(json.loads(gzip.decompress(path.read_bytes())))
        path.write_bytes(gzip.compress(json.dumps(model).encode(), mtime=0))
        prefix = model["metadata"]["endpointPrefix"]
    if not prefix:
        raise RuntimeError(f"botocore does not describe {service} as layers/contents.py expects")
    return prefix


def _empty_documentation(value: Any) -> Any:
    """Return a description whose texts for readers are empty; botocore asks for some of them."""
    if isinstance(value, dict):
        return {
            name: ""
            if name == "documentation" and isinstance(inner, str)
            else _empty_documentation(inner)
            for name, inner in value.items()
        }
    return [_empty_documentation(inner) for inner in value] if isinstance(value, list) else value


def _remove_algebra(packages: Path) -> None:
    """Put a library without code in OpenBLAS's place: 28 MiB that nothing here calls.

    numpy's compiled parts are linked to it, so that its names must exist.
    """
    libraries = packages / "numpy.libs"
    (algebra,) = libraries.glob(_ALGEBRA)
    machine = int.from_bytes(algebra.read_bytes()[18:20], "little")
    compiled = (packages / "numpy").rglob("*.so")
    names = {name for path in compiled for name in _ALGEBRA_FUNCTION.findall(path.read_bytes())}
    if machine not in MACHINES or not names:
        raise RuntimeError("numpy is not linked to OpenBLAS as layers/contents.py expects")
    algebra.write_bytes(hollow_library(algebra.name.encode(), sorted(names), machine))
    for pattern in _ALGEBRA_LANGUAGE:
        for path in libraries.glob(pattern):
            path.unlink()
    init = packages / "numpy" / "__init__.py"
    text = init.read_text()
    if text.count(_SELF_TEST) != 1:
        raise RuntimeError("numpy tests itself in another way than layers/contents.py expects")
    init.write_text(text.replace(_SELF_TEST, ""))


if __name__ == "__main__":
    prune(Path(sys.argv[1]))
    keep_services(Path(sys.argv[1]), sys.argv[2:])
