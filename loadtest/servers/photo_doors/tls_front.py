"""The same nginx with TLS in front of every door, as Baresoil's balancer was."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rigs.free_port import free_port
from rigs.rig import Rig, running_rig
from vitrine.errors import VitrineError

CERTIFICATE, KEY = "certificate.pem", "key.pem"
_CONFIGURATION = """
user root;
daemon off;
worker_processes auto;
pid {work}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    ssl_certificate {work}/certificate.pem;
    ssl_certificate_key {work}/key.pem;
    ssl_protocols TLSv1.3;
    upstream door {{ server 127.0.0.1:{door}; }}
    server {{
        listen 127.0.0.1:{port};
        location = /ready {{ return 200; }}
    }}
    server {{
        listen 127.0.0.1:{tls} ssl backlog=2048;
        client_max_body_size 64m;
        location / {{
            proxy_pass http://door;
            proxy_http_version 1.1;
            proxy_set_header Host 127.0.0.1:{tls};
            proxy_set_header Connection "";
            proxy_request_buffering off;
            proxy_read_timeout 300s;
        }}
    }}
}}
"""


@dataclass(frozen=True, kw_only=True)
class TlsFront:
    """The running nginx, the port of its TLS, and the file with its certificate."""

    rig: Rig
    port: int
    certificate: Path


@contextmanager
def tls_front(door: int) -> Iterator[TlsFront]:
    """Start it in front of a door's port, with a certificate of its own. Raises VitrineError."""
    tls = free_port()

    def prepare(work: Path, port: int) -> dict[str, str]:
        _make_certificate(work)
        values = {"work": work, "port": port, "tls": tls, "door": door}
        (work / "nginx.conf").write_text(_CONFIGURATION.format(**values))
        return {}

    command = ("nginx", "-e", "stderr", "-c", "{work}/nginx.conf")
    with running_rig("tls", {"tls": command}, prepare, ready="/ready") as rig:
        yield TlsFront(rig=rig, port=tls, certificate=rig.work / CERTIFICATE)


def _make_certificate(work: Path) -> None:
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(work / KEY), "-out", str(work / CERTIFICATE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise VitrineError(f"openssl made no certificate: {done.stderr.strip()}")
