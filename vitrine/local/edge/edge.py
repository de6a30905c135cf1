"""The configuration of the nginx that plays CloudFront on one machine."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from vitrine.edge.missing_page import MISSING_PAGE
from vitrine.edge.policies import (
    COMPRESSED_FROM_BYTES,
    COMPRESSED_TYPES,
    EXPOSED_HEADERS,
    SITE,
    page_policy,
)
from vitrine.local.edge.locations import (
    AUTH_ROUTES,
    INSIDE_ROUTES,
    OWN_ERRORS,
    PHOTO_ROUTES,
    kept_lines,
    kept_statuses,
    locations,
    routes,
)

HERE = Path(__file__).parent
RESTRICTED = ("ticket.js", "restricted_request.js")
"""Together, what CloudFront runs before restricted images."""
ACCESS = "auth_request.js"
"""What CloudFront runs before the services of access."""
INSIDE = "inside_request.js"
"""What CloudFront runs before searches inside objects."""
PHOTOS = "photo_request.js"
"""What CloudFront runs before a photo door that is a Lambda."""
VIEWER = "viewer_request.js"
"""What CloudFront runs before everything else."""
ALIASES = {
    VIEWER: "edge",
    RESTRICTED[-1]: "restricted",
    PHOTOS: "photos",
    ACCESS: "auth",
    INSIDE: "inside",
}
"""Their names in nginx's configuration."""
PAGE_RESPONSE = "page_response.js"
"""What CloudFront runs after the site's bucket."""
MODULE = Path("/usr/lib/nginx/modules/ngx_http_js_module.so")
"""Where Debian's libnginx-mod-http-js puts njs."""


def write_configuration(
    directory: Path,
    *,
    port: int,
    origin_port: int,
    emulator_port: int,
    site_bucket: str,
    function: Path,
    frame_ancestors: str = "'self'",
    distribution: str = "",
    origin_host: str = "",
    photo_door: bool = False,
    photo_api: str = "",
    photo_function: Path | None = None,
    access_host: str = "",
    inside_host: str = "",
) -> Path:
    """Write `nginx.conf` and what it needs into `directory`, and return its path.

    `function` is the viewer-request function, unmodified: njs needs a module, so the adapter that
    exports it is appended to its text. So it is with those next to it: `page_response.js`, and
    `ticket.js` with `restricted_request.js`, whose key-value store is the file that NginxEdgeKeys
    writes. `distribution` is the ARN of the deployed distribution, to which the site's bucket and a
    Lambda that serves images open. `origin_host` is that Lambda's own name; without it, the origin
    is asked for the edge's. `photo_api` is the id of the HTTP API of a photo door that is a Lambda,
    and `photo_function` what CloudFront runs before it; `access_host` is the name of the Lambda of
    the services of access, `inside_host` that of searches inside objects. Start the edge with
    `command`; it stays in the foreground. SIGTERM ends it at once, SIGQUIT after the open requests.
    """
    directory = directory.resolve()
    modules = {
        VIEWER: ([function], routes()),
        RESTRICTED[-1]: ([function.with_name(name) for name in RESTRICTED], routes()),
    }
    if photo_function:
        modules[PHOTOS] = ([photo_function], PHOTO_ROUTES)
    if access_host:
        modules[ACCESS] = ([function.with_name(ACCESS)], AUTH_ROUTES)
    if inside_host:
        modules[INSIDE] = ([function.with_name(INSIDE)], INSIDE_ROUTES)
    _write_modules(directory, modules, function.with_name(PAGE_RESPONSE))
    written = locations(
        frame_ancestors,
        photo_door=photo_door,
        photo_function=bool(photo_api),
        access_services=bool(access_host),
        searches_inside=bool(inside_host),
    )
    configuration = directory / "nginx.conf"
    configuration.write_text(
        _fill_in(
            (HERE / "nginx.conf.template").read_text().replace("${LOCATIONS}", written),
            PHOTO_API=photo_api,
            AUTH_HOST=access_host,
            INSIDE_HOST=inside_host,
            MODULES="\n    ".join(f"js_import {ALIASES[name]} from {name};" for name in modules),
            # As root, nginx would run its workers as a user who cannot enter our directory.
            USER_DIRECTIVE="user root;" if os.geteuid() == 0 else "",
            MODULE=MODULE,
            DIRECTORY=directory,
            PORT=port,
            ORIGIN_PORT=origin_port,
            ORIGIN_HOST=origin_host or f"127.0.0.1:{port}",
            EMULATOR_PORT=emulator_port,
            SITE_BUCKET=site_bucket,
            DISTRIBUTION=distribution,
            KEPT=kept_statuses(),
            OWN_ERRORS=OWN_ERRORS,
            SITE_ERRORS=OWN_ERRORS.replace("404 ", ""),
            MISSING_PAGE=MISSING_PAGE,
            LOOKED_AT="\n".join(kept_lines(SITE)),
            PAGE_POLICY=page_policy(SITE, frame_ancestors),
            EXPOSED=", ".join(EXPOSED_HEADERS),
            COMPRESSED_FROM_BYTES=COMPRESSED_FROM_BYTES,
            COMPRESSED_TYPES=" ".join(COMPRESSED_TYPES),
        )
    )
    return configuration


def _write_modules(
    directory: Path, modules: Mapping[str, tuple[list[Path], str]], page_response: Path
) -> None:
    """Write each module: functions, the routes after them, and what gives them their event."""
    for name in ("logs", "tmp", "cache"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    after = page_response.read_text() + (HERE / "status_adapter.js").read_text()
    (directory / page_response.name).write_text(after)
    store = (HERE / "key_value_store.js").read_text()
    (directory / "cloudfront").write_text(_fill_in(store, DIRECTORY=directory))
    for name, (functions, rows) in modules.items():
        text = "".join(path.read_text() for path in functions)
        (directory / name).write_text(text + rows + (HERE / "adapter.js").read_text())


def _fill_in(template: str, **values: object) -> str:
    """Replace each `${NAME}` by its value; nginx's own `$name` stays."""
    return re.sub(r"\$\{([A-Z_]+)\}", lambda name: str(values[name[1]]), template)


def command(configuration: Path) -> list[str]:
    """Return the command that runs the edge from a written `nginx.conf`."""
    directory = configuration.parent
    log = str(directory / "logs" / "error.log")
    return ["nginx", "-c", str(configuration), "-p", str(directory), "-e", log]
