"""The services of access behind an HTTP server of this machine."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.unit.authorization.made_services import Door
from vitrine.api.http import ApiRequest
from vitrine.authorization.application import answer


@contextmanager
def serve(door: Door) -> Iterator[str]:
    """Serve; yield the address, which is the base of all that the door says."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            headers = {name.lower(): value for name, value in self.headers.items()}
            # As the edge's function does.
            headers["x-viewer-address"] = self.client_address[0]
            headers["x-viewer-authorization"] = headers.get("authorization", "")
            request = ApiRequest(
                method=self.command, path=path, query=query, headers=headers, caller=""
            )
            response = answer(door.services(), request)
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            for cookie in response.cookies:
                self.send_header("set-cookie", cookie)
            self.send_header("content-length", str(len(response.body)))
            self.end_headers()
            self.wfile.write(response.body)

        do_OPTIONS = do_GET

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        door.base = f"http://127.0.0.1:{server.server_port}"
        yield door.base
        server.shutdown()
