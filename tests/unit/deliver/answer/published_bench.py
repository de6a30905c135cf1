"""What was published of objects, as tests put it there."""

import json

import brotli

from tests.unit.deliver.answer.gateway_bench import Bench
from vitrine.deliver.http.exchange import Response
from vitrine.store.layout import publication_key
from vitrine.store.publications import CONTENT_TYPE, Publication, encode_publication


def documents(**values: str) -> dict[int, bytes]:
    """Documents of both versions."""
    return {
        version: brotli.compress(json.dumps({"version": version, **values}).encode())
        for version in (2, 3)
    }


def publish(bench: Bench, publication: Publication, identifier: str = "book") -> None:
    """Let an identifier answer with this."""
    body = encode_publication(publication)
    bench.site.put(publication_key(identifier), body, content_type=CONTENT_TYPE)


def headers(response: Response) -> dict[str, str]:
    """The headers of an answer."""
    names = [name for name, _ in response.headers]
    assert len(names) == len(set(names)), "no header twice"
    return dict(response.headers)
