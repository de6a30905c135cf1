"""The status page for one person at this machine: rebuilt on request, never public."""

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

from vitrine.bootstrap.deployment import Deployment, deployment
from vitrine.bootstrap.environments import LOCAL
from vitrine.bootstrap.local_service import LocalService, NotRunning
from vitrine.cli.console.environment import OUT_OF_REACH, explain_out_of_reach
from vitrine.cli.status import health as status_health
from vitrine.cli.status.pages.images import Thumbnails
from vitrine.cli.status.pages.page import Status, status_page
from vitrine.cli.status.pages.style import POLICY
from vitrine.cli.status.report import overview
from vitrine.store.clock import now

ADDRESS = "127.0.0.1"
PORT = 8090
MIN_SECONDS = 2.0
"""The time between the end of one look at the service and the next."""
MAX_SECONDS = 60.0
SHARE = 10
"""An open page asks again after ten times what a look at the service took."""
LISTED, NEWEST = 500, 12
Connect = Callable[[str], Deployment]


class StatusPages:
    """The status of one environment, kept for two seconds however many ask."""

    def __init__(
        self,
        service: Deployment,
        connect: Connect = deployment,
        thumbnails: Thumbnails | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Look at `service` at once, raising what its ports raise.

        When it no longer answers, `connect` is called to find it again.
        """
        self._service: Deployment | None = service
        self._environment = service.environment
        self._connect = connect
        self._thumbnails = thumbnails or Thumbnails()
        self._clock = clock
        self._lock = Lock()
        self._address = self._where()
        self._status = self._look()
        self._looked = clock()

    def current(self) -> Status:
        """Return the status, or the last one known and why the service no longer answers."""
        with self._lock:
            if self._clock() - self._looked >= MIN_SECONDS:
                self._status = self._look_again()
                self._looked = self._clock()
            return self._status

    @property
    def refresh_seconds(self) -> int:
        """Seconds after which a page should ask again."""
        return math.ceil(min(max(SHARE * self._took, MIN_SECONDS), MAX_SECONDS))

    def _look_again(self) -> Status:
        try:
            return self._look()
        except OUT_OF_REACH as error:
            self._service = None
            return Status(
                report={**self._status.report, "health": self._health()},
                made_at=self._status.made_at,
                thumbnails=self._status.thumbnails,
                trouble=explain_out_of_reach(error, self._environment),
            )

    def _look(self) -> Status:
        service = self._connected()
        begun = self._clock()
        report = overview(service, listed=LISTED, newest=NEWEST)
        self._took = self._clock() - begun
        made_at = now()
        thumbnails = self._thumbnails.of(service.edge_url, report["newest"])
        return Status(report=report, made_at=made_at, thumbnails=thumbnails)

    def _health(self) -> list[dict[str, str]]:
        try:
            parts = status_health.check_health(self._environment, self._status.report["edge_url"])
        except NotRunning:
            return []
        return [asdict(part) for part in parts]

    def _connected(self) -> Deployment:
        address = self._where()
        if self._service is None or address != self._address:
            self._service = self._connect(self._environment)
            self._address = address
        return self._service

    def _where(self) -> LocalService | None:
        """Return the address on this machine, which `down` and `up` change without being asked."""
        return LocalService.load() if self._environment == LOCAL else None


class StatusServer(ThreadingHTTPServer):
    """A server on 127.0.0.1 that answers only requests for that name."""

    daemon_threads = True

    def __init__(self, pages: StatusPages, port: int) -> None:
        """Listen on `port`, or on any free one if it is 0. Raises OSError if that fails."""
        super().__init__((ADDRESS, port), _StatusHandler)
        self.pages = pages
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong on standard error, unless the client only hung up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.server_port}/"


class _StatusHandler(BaseHTTPRequestHandler):
    server: StatusServer
    timeout = 10

    def do_GET(self) -> None:
        # A page of another site, whose name was made to resolve to here, must not read it.
        if (self.headers.get_all("Host") or []) not in [[host] for host in self.server.hosts]:
            self._answer(421, "text/plain", f"Ask for {self.server.url}\n")
        elif self.path not in ("/", "/status.json"):
            self._answer(404, "text/plain", "There are / and /status.json.\n")
        else:
            self._answer_status(self.server.pages.current())

    do_HEAD = do_GET

    def do_POST(self) -> None:
        self._answer(405, "text/plain", "GET and HEAD only.\n")

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST

    def _answer_status(self, status: Status) -> None:
        code = 503 if status.trouble else 200
        if self.path == "/":
            page = status_page(status, self.server.pages.refresh_seconds)
            self._answer(code, "text/html", page)
        else:
            text = json.dumps(status.as_json(), indent=2, ensure_ascii=False)
            self._answer(code, "application/json", f"{text}\n")

    def _answer(self, code: int, content_type: str, text: str) -> None:
        body = text.encode("utf-8", "backslashreplace")
        headers = {
            "Content-Type": f"{content_type}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        } | ({"Allow": "GET, HEAD"} if code == 405 else {})
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        return "vitrine"

    def log_message(self, *_: Any) -> None:
        """Log nothing: the only client is the person at this machine."""
