"""The services of access behind an HTTP server of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.rigs.http_server import QuietHandler, run_server
from tests.unit.authorization.made_services import Door
from vitrine.api.http import ApiRequest
from vitrine.authorization.application import answer


@contextmanager
def serve(door: Door) -> Iterator[str]:
    """Serve; yield the address, which is the base of all that the door says."""

    class Handler(QuietHandler):
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

    with run_server(Handler) as port:
        door.base = f"http://127.0.0.1:{port}"
        yield door.base
