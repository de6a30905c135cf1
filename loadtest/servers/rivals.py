"""The rivals that we are compared with: plain nginx with iipsrv in several ways, or with files."""

import getpass
import shutil
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from rigs.free_port import free_port
from rigs.rig import Rig, running_rig
from vitrine.errors import VitrineError
from vitrine.local.task import search_path

PROCESSES = 2
"""iipsrv processes: one per core of the machine the service is sized for; more are slower."""
MEMCACHED_MEBIBYTES = 512
TILE_CACHE_MEBIBYTES = 512
"""Cache of each iipsrv process that keeps decoded tiles."""
PREFIX = "iiif/2"
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "JPEG_QUALITY": "90",
    "EMBED_ICC": "1",
    "INTERPOLATION": "1",
    "ALLOW_UPSCALING": "1",
    "MAX_CVT": "100000",
    "VERBOSITY": "0",
    "LOGFILE": "/dev/null",
    "URI_MAP": f"{PREFIX}=>IIIF",
}
"""Settings of iipsrv, the best we know: one thread per process, no log, the quality we serve."""

_NGINX = """
{user}
daemon off;
worker_processes auto;
worker_rlimit_nofile 16384;
pid {work}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    server_tokens off;
    tcp_nodelay on;
    default_type image/jpeg;
    types {{ application/json json; }}
    keepalive_timeout 75s;
    keepalive_requests 10000;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    {upstream}
    {cache}
    server {{
        listen 127.0.0.1:{port} backlog=2048;
        location = /ready {{ return 200; }}
        location / {{ {location} }}
    }}
}}
"""
_UPSTREAM = "upstream iipsrv {{ server unix:{socket} max_fails=0; }}"
_FASTCGI = """
            fastcgi_pass iipsrv;
            fastcgi_keep_conn off;
            fastcgi_param QUERY_STRING $query_string;
            fastcgi_param REQUEST_METHOD $request_method;
            fastcgi_param SERVER_PROTOCOL $server_protocol;
            fastcgi_param REQUEST_URI $request_uri;
            fastcgi_param HTTP_HOST $http_host;
            fastcgi_read_timeout 120s;
            fastcgi_buffers 16 64k;
            fastcgi_buffer_size 64k;
            fastcgi_max_temp_file_size 0;
        """
_CACHE = "fastcgi_cache_path {work}/kept keys_zone=kept:8m max_size=512m use_temp_path=off;"
_CACHED = """
            fastcgi_cache kept;
            fastcgi_cache_key "$http_host $request_uri";
            fastcgi_cache_valid 200 1h;
            fastcgi_ignore_headers Cache-Control Expires Set-Cookie Vary;
            open_file_cache max=1000;
        """
_STATIC = "root {root}; open_file_cache max=20000; sendfile on;"
_NGINX_COMMAND = ("nginx", "-e", "stderr", "-c", "{work}/nginx.conf")


def iipsrv_rig(
    masters: Path,
    *,
    name: str = "iipsrv",
    tile_cache_mebibytes: int = 0,
    answers_kept: bool = False,
    processes: int = PROCESSES,
) -> AbstractContextManager[Rig]:
    """Start nginx and a pool of Debian's iipsrv on a folder of access masters.

    With `answers_kept` nginx keeps every answer for an hour, by host and address, as our image task
    keeps its own.

    Configured as well as we know how: a shared socket, so that an idle process takes the next
    request; no kept connections, for a process serves one at a time; no access log (ours writes
    one). Each process has a tile cache of its own.
    """
    settings = {
        **SETTINGS,
        "MAX_IMAGE_CACHE_SIZE": str(tile_cache_mebibytes),
        "FILESYSTEM_PREFIX": f"{masters}/",
    }

    def prepare(work: Path, port: int) -> dict[str, str]:
        _write_iipsrv_configuration(work, port, work / "iipsrv.sock", answers_kept)
        return settings

    commands = {"iipsrv": _iipsrv_command(processes), "nginx": _NGINX_COMMAND}
    return running_rig(name, commands, prepare, ready="/ready")


@contextmanager
def memcached_rig(masters: Path, *, name: str, processes: int = PROCESSES) -> Iterator[Rig]:
    """Start the same before a memcached of its own, in which iipsrv keeps whole answers.

    The rig's `forget` empties it. Raises VitrineError if memcached is not installed.
    """
    if not shutil.which("memcached", path=search_path()):
        raise VitrineError(f"{name} needs memcached: apt-get install memcached, or leave it out")
    cache_port = free_port()
    settings = {
        **SETTINGS,
        "MAX_IMAGE_CACHE_SIZE": "0",
        "MEMCACHED_SERVERS": f"127.0.0.1:{cache_port}",
        "FILESYSTEM_PREFIX": f"{masters}/",
    }

    def prepare(work: Path, port: int) -> dict[str, str]:
        _write_iipsrv_configuration(work, port, work / "iipsrv.sock")
        return settings

    cache = ("memcached", "-u", getpass.getuser(), "-l", "127.0.0.1", "-p", str(cache_port))
    commands = {
        "memcached": (*cache, "-m", str(MEMCACHED_MEBIBYTES), "-I", "32m"),
        "iipsrv": _iipsrv_command(processes),
        "nginx": _NGINX_COMMAND,
    }
    with running_rig(name, commands, prepare, ready="/ready") as rig:
        rig.forget = partial(_flush_memcached, cache_port)
        rig.forget()
        yield rig


def _flush_memcached(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(b"flush_all\r\n")
        if (answer := connection.recv(64)) != b"OK\r\n":
            raise VitrineError(f"memcached did not forget its answers: {answer!r}")


def patched_iipsrv_rig(
    masters: Path, *, name: str, processes: int = PROCESSES
) -> AbstractContextManager[Rig]:
    """Start nginx and our iipsrv, as the image task starts it, without any gateway."""

    def prepare(work: Path, port: int) -> dict[str, str]:
        (work / "cache").symlink_to(masters)
        _write_iipsrv_configuration(work, port, work / "run/iipsrv.sock")
        return {
            "VITRINE_WORK_DIRECTORY": str(work),
            "VITRINE_IIPSRV_PROCESSES": str(processes),
            "URI_MAP": SETTINGS["URI_MAP"],
        }

    commands = {"iipsrv": ("containers/iipsrv/start",), "nginx": _NGINX_COMMAND}
    return running_rig(name, commands, prepare, ready="/ready")


def _iipsrv_command(processes: int) -> tuple[str, ...]:
    return (
        *("spawn-fcgi", "-n", "-s", "{work}/iipsrv.sock", "-M", "0666", "-b", "2048", "--"),
        *("/usr/bin/multiwatch", "-f", str(processes), "-r", "1000000", "-t", "100", "--"),
        "/usr/lib/iipimage-server/iipsrv.fcgi",
    )


def static_rig(root: Path, *, name: str = "static files") -> AbstractContextManager[Rig]:
    """Start nginx alone, on files that lie under `root` by their addresses."""

    def prepare(work: Path, port: int) -> dict[str, str]:
        _write_configuration(work, port, "", _STATIC.format(root=root))
        return {}

    return running_rig(name, {"nginx": _NGINX_COMMAND}, prepare, ready="/ready")


def _write_iipsrv_configuration(
    work: Path, port: int, pool: Path, answers_kept: bool = False
) -> None:
    cache = _CACHE.format(work=work) if answers_kept else ""
    location = _FASTCGI + _CACHED if answers_kept else _FASTCGI
    _write_configuration(work, port, _UPSTREAM.format(socket=pool), location, cache)


def _write_configuration(
    work: Path, port: int, upstream: str, location: str, cache: str = ""
) -> None:
    # As root, workers would become `nobody` and could not reach the folder.
    user = "user root;" if work.stat().st_uid == 0 else ""
    text = _NGINX.format(
        user=user, work=work, port=port, upstream=upstream, location=location, cache=cache
    )
    (work / "nginx.conf").write_text(text)
