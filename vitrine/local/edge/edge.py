"""The configuration of the nginx that plays CloudFront on one machine."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from vitrine.edge.functions import (
    AUTH_REQUEST,
    CONTENT_SEARCH_REQUEST,
    MCP_REQUEST,
    PAGE_RESPONSE,
    PHOTO_REQUEST,
    RESTRICTED_REQUEST,
    VIEWER_REQUEST,
)
from vitrine.edge.policies import (
    COMPRESSED_FROM_BYTES,
    COMPRESSED_TYPES,
    EXPOSED_HEADERS,
    SITE,
    page_policy,
)
from vitrine.local.edge.listener import LAMBDA, Listener, unforwarded_lines
from vitrine.local.edge.locations import (
    AUTH_ROUTES,
    INSIDE_ROUTES,
    MCP_ROUTES,
    OWN_ERRORS,
    PHOTO_ROUTES,
    kept_lines,
    kept_statuses,
    locations,
    routes,
)
from vitrine.settings.deliver import BALANCER_SECONDS

HERE = Path(__file__).parent
_MODULES = Path("/usr/lib/nginx/modules")
MODULE = _MODULES / "ngx_http_js_module.so"
"""Module njs, where Debian's libnginx-mod-http-js puts it."""
BROTLI_MODULE = _MODULES / "ngx_http_brotli_filter_module.so"
"""Compression, where Debian's libnginx-mod-http-brotli-filter puts it."""


def write_configuration(
    directory: Path,
    *,
    port: int,
    origin_port: int,
    emulator_port: int,
    site_bucket: str,
    functions: Path,
    frame_ancestors: str = "'self'",
    distribution: str = "",
    origin_host: str = "",
    listener: Listener = LAMBDA,
    photo_door: bool = False,
    photo_api: str = "",
    access_host: str = "",
    inside_host: str = "",
    api: str = "",
    mcp_api: str = "",
) -> Path:
    """Write `nginx.conf` and what it needs into `directory`, and return its path.

    `functions` is the folder of CloudFront's functions, which run unmodified: njs needs modules, so
    the adapter that exports a function is appended to its text. The key-value store of the one for
    restricted images is the file that NginxEdgeKeys writes. `distribution` is the ARN of the
    deployed distribution, to which the site's bucket and a Lambda that serves images open.
    `origin_host` is that Lambda's own name; without it, the origin is asked for the edge's.
    `listener` is that of the balancer between the edge and the origin: what it does not forward,
    it answers. `photo_api` is the id of the HTTP API of a photo door that is a Lambda;
    `access_host` is the name of the Lambda of the services of access, `inside_host` that of
    searches inside objects. `api` is the id of the HTTP API that is the desk's, at `/api/`,
    `mcp_api` that of programs that speak MCP.
    Start the edge with `command`; it stays in the foreground. SIGTERM ends it at once, SIGQUIT
    after the open requests.
    """
    directory = directory.resolve()
    modules: dict[str, tuple[tuple[str, ...], str]] = {
        "edge": (VIEWER_REQUEST, routes()),
        "restricted": (RESTRICTED_REQUEST, routes()),
        **({"photos": (PHOTO_REQUEST, PHOTO_ROUTES)} if photo_api else {}),
        **({"auth": (AUTH_REQUEST, AUTH_ROUTES)} if access_host else {}),
        **({"inside": (CONTENT_SEARCH_REQUEST, INSIDE_ROUTES)} if inside_host else {}),
        **({"mcp": (MCP_REQUEST, MCP_ROUTES)} if mcp_api else {}),
    }
    _write_modules(directory, functions, modules)
    written = locations(
        frame_ancestors,
        photo_door=photo_door,
        photo_function=bool(photo_api),
        access_services=bool(access_host),
        searches_content=bool(inside_host),
        has_api=bool(api),
        has_mcp=bool(mcp_api),
    )
    configuration = directory / "nginx.conf"
    configuration.write_text(
        _fill_in(
            (HERE / "nginx.conf.template").read_text().replace("${LOCATIONS}", written),
            API=api,
            MCP_API=mcp_api,
            PHOTO_API=photo_api,
            AUTH_HOST=access_host,
            INSIDE_HOST=inside_host,
            MODULES="\n    ".join(f"js_import {name} from {name}.js;" for name in modules),
            # As root, nginx would run its workers as a user who cannot enter our directory.
            USER_DIRECTIVE="user root;" if os.geteuid() == 0 else "",
            MODULE=MODULE,
            BROTLI_MODULE=BROTLI_MODULE,
            DIRECTORY=directory,
            PORT=port,
            ORIGIN_PORT=origin_port,
            ORIGIN_HOST=origin_host or f"127.0.0.1:{port}",
            EMULATOR_PORT=emulator_port,
            SITE_BUCKET=site_bucket,
            DISTRIBUTION=distribution,
            READ_SECONDS=BALANCER_SECONDS,
            **_policy_values(frame_ancestors),
            UNFORWARDED=unforwarded_lines(listener),
            MISSING_STATUS=listener.status,
            MISSING_TYPE=listener.content_type,
            MISSING_PAGE=listener.body,
        )
    )
    return configuration


def _policy_values(frame_ancestors: str) -> dict[str, object]:
    """Return what the template takes from the edge's policies."""
    return {
        "KEPT": kept_statuses(),
        "OWN_ERRORS": OWN_ERRORS,
        "SITE_ERRORS": OWN_ERRORS.replace("404 ", ""),
        "LOOKED_AT": "\n".join(kept_lines(SITE)),
        "PAGE_POLICY": page_policy(SITE, frame_ancestors),
        "EXPOSED": ", ".join(EXPOSED_HEADERS),
        "COMPRESSED_FROM_BYTES": COMPRESSED_FROM_BYTES,
        "COMPRESSED_TYPES": " ".join(COMPRESSED_TYPES),
    }


def _write_modules(
    directory: Path, functions: Path, modules: Mapping[str, tuple[tuple[str, ...], str]]
) -> None:
    """Write each module: functions, the routes after them, and what gives them their event."""
    for name in ("logs", "tmp", "cache"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    store = (HERE / "key_value_store.js").read_text()
    (directory / "cloudfront").write_text(_fill_in(store, DIRECTORY=directory))

    def write(name: str, files: tuple[str, ...], *rest: str) -> None:
        text = "".join((functions / file).read_text() for file in files)
        (directory / f"{name}.js").write_text("".join([text, *rest]))

    write("page_response", PAGE_RESPONSE, (HERE / "status_adapter.js").read_text())
    for name, (files, rows) in modules.items():
        write(name, files, rows, (HERE / "adapter.js").read_text())


def _fill_in(template: str, **values: object) -> str:
    """Replace each `${NAME}` by its value; nginx's own `$name` stays."""
    return re.sub(r"\$\{([A-Z_]+)\}", lambda name: str(values[name[1]]), template)


def command(configuration: Path) -> list[str]:
    """Return the command that runs the edge from a written `nginx.conf`."""
    directory = configuration.parent
    log = str(directory / "logs" / "error.log")
    return ["nginx", "-c", str(configuration), "-p", str(directory), "-e", log]
