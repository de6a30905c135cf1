"""The trace of a request reaches S3's log: in the address of each read that is made for it."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import boto3
import pytest
from botocore.config import Config

from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.tracing import send_traces
from vitrine.deliver.blocks.cache import BlockCache
from vitrine.trace import begin_trace

TRACE = "1-67891233-abcdef012345678912345678"


class Bucket(BaseHTTPRequestHandler):
    """A bucket with one object of four bytes; it writes down the addresses of requests."""

    paths: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.paths.append(self.path)
        self.send_response(206)
        for name, value in (
            ("ETag", '"abc"'),
            ("Content-Length", "4"),
            ("Content-Range", "bytes 0-3/4"),
            ("Last-Modified", "Sun, 22 Nov 2026 10:00:00 GMT"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"tile")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def store() -> Iterator[S3ObjectStore]:
    Bucket.paths.clear()
    with HTTPServer(("127.0.0.1", 0), Bucket) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        client = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{server.server_port}",
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=Config(s3={"addressing_style": "path"}),
        )
        send_traces(client)
        yield S3ObjectStore(client, "bucket")
        client.close()
        server.shutdown()
        thread.join()


@pytest.mark.enable_socket
async def test_a_read_of_s3_carries_the_trace_of_its_request(store: S3ObjectStore, tmp_path: Path):
    cache = BlockCache(store, tmp_path / "cache", 1 << 30, revalidate_seconds=60)
    begin_trace(f"Root={TRACE}")
    await cache.file("key")
    begin_trace(None)
    await cache.file("other")
    cache.close()
    assert Bucket.paths == [f"/bucket/key?x-trace={TRACE}", "/bucket/other"]
