"""A IIIF collection of books at a server of these tests, and the rules to harvest it by."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
    collection3,
    iiif_server,
    information,
    manifest3,
)

ONE, TWO = "/iiif/3/one", "/iiif/3/two"


@contextmanager
def serve_books(services: Mapping[str, str]) -> Iterator[IiifServer]:
    """Serve a manifest at each path, of one page whose image is at the service that it maps to."""
    documents = {path: manifest3(path, service) for path, service in services.items()}
    documents["/top"] = collection3("/top", *(("Manifest", path) for path in services))
    images = {service: information(3, 40, 30) for service in services.values()}
    with iiif_server(IiifServer(documents=documents, images=images)) as started:
        yield started


def book_rules(address: str, **source: str) -> str:
    """Return the rules of a collection `books` from the server; `source` adds to that part."""
    lines = {"kind": "iiif", "address": f"{address}/top", **source}
    return '[collection]\nidentifier = "books"\nlabel = "Books"\n[source]\n' + "".join(
        f'{name} = "{value}"\n' for name, value in lines.items()
    )
