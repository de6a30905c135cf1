"""The rivals that we are compared with: plain nginx with iipsrv, and plain nginx with files."""

from contextlib import AbstractContextManager
from pathlib import Path

from loadtest.rigs.rig import Rig, running_rig

PROCESSES = 2
"""iipsrv processes: one per core of the machine the service is sized for; more are slower."""
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
    types {{ }}
    keepalive_timeout 75s;
    keepalive_requests 10000;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    {upstream}
    server {{
        listen 127.0.0.1:{port} backlog=2048;
        location = /ready {{ return 200; }}
        location / {{ {location} }}
    }}
}}
"""
_UPSTREAM = "upstream iipsrv {{ server unix:{work}/iipsrv.sock max_fails=0; }}"
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
_STATIC = "root {root}; open_file_cache max=20000; sendfile on; tcp_nopush on;"
_NGINX_COMMAND = ("nginx", "-e", "stderr", "-c", "{work}/nginx.conf")


def iipsrv_rig(
    masters: Path,
    *,
    name: str = "iipsrv",
    tile_cache_mebibytes: int = 0,
    processes: int = PROCESSES,
) -> AbstractContextManager[Rig]:
    """Start nginx and a pool of Debian's iipsrv on a folder of access masters.

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
        _write_configuration(work, port, _UPSTREAM.format(work=work), _FASTCGI)
        return settings

    commands = {"iipsrv": _iipsrv_command(processes), "nginx": _NGINX_COMMAND}
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


def _write_configuration(work: Path, port: int, upstream: str, location: str) -> None:
    # As root, workers would become `nobody` and could not reach the folder.
    user = "user root;" if work.stat().st_uid == 0 else ""
    text = _NGINX.format(user=user, work=work, port=port, upstream=upstream, location=location)
    (work / "nginx.conf").write_text(text)
