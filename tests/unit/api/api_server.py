"""The API over HTTP, with the gateway's work done here: for programs that want a server."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from tests.rigs.http_server import QuietHandler, run_server
from tests.unit.api.api_bench import CALLER
from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.api.application import answer
from vitrine.api.services import Services


@contextmanager
def serve(services: Services, port: int = 0) -> Iterator[str]:
    """Yield the address of a server in which `CALLER` may do everything."""

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            path, _, query = self.path.partition("?")
            length = int(self.headers.get("content-length") or 0)
            event = {
                "rawPath": unquote(path.replace("%25", "%2525"), errors="replace"),
                "rawQueryString": query,
                "headers": dict(self.headers.items()),
                "body": base64.b64encode(self.rfile.read(length)).decode(),
                "isBase64Encoded": True,
                "requestContext": {
                    "http": {"method": self.command},
                    "authorizer": {"iam": {"userArn": CALLER}},
                },
            }
            made = response_event(answer(services, request_of(event)))
            body = made["body"].encode()
            if made["isBase64Encoded"]:
                body = base64.b64decode(body)
            self.send_response(made["statusCode"])
            for name, value in made["headers"].items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = _answer
        do_HEAD = do_OPTIONS = do_TRACE = do_QUERY = _answer

    with run_server(Handler, port) as chosen:
        yield f"http://127.0.0.1:{chosen}"
