"""The edge's policies as nginx's: a location for each kind of address."""

import json
import re

from vitrine.edge.policies import (
    BEHAVIORS,
    ERROR_SECONDS,
    INFORMATION_COMPRESSED_FROM_BYTES,
    KEPT_WHERE_ALLOWED,
    RESPONSE_HEADERS,
    Behavior,
)

_ORIGINS = {
    "images": """
            proxy_pass http://origin$edge_path;
            # One name for all: with the viewer's own, one could put a name of their choice
            # into what others get.
            proxy_set_header Host 127.0.0.1:${PORT};
            proxy_set_header Connection "";
            proxy_set_header Content-Length "";
            proxy_set_header Transfer-Encoding "";
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Viewer-Address $viewer_address;
            error_page 502 504 /.edge/error;""",
    "site": """
            proxy_pass http://emulator/${SITE_BUCKET}$edge_path;
            proxy_set_header Host 127.0.0.1:${EMULATOR_PORT};
            proxy_set_header Connection "";
            proxy_set_header Content-Length "";
            proxy_set_header Transfer-Encoding "";
            # One layer says CORS, and it is not the emulator.
            proxy_hide_header Access-Control-Allow-Origin;
            proxy_hide_header Access-Control-Allow-Methods;
            proxy_hide_header Access-Control-Allow-Headers;
            proxy_hide_header Access-Control-Expose-Headers;
            proxy_intercept_errors on;
            error_page 403 =404 /.edge/error;
            error_page 404 502 504 /.edge/error;
            add_header Access-Control-Allow-Origin * always;
            add_header Access-Control-Expose-Headers Link always;""",
}


def locations() -> str:
    """Return all locations, for the configuration's `server`; `${NAMES}` are filled in later."""
    return "\n".join(_location(behavior) for behavior in BEHAVIORS)


def _location(behavior: Behavior) -> str:
    # A maximum has no counterpart in nginx; our origins never say more.
    lines = [f"proxy_cache_valid 200 206 301 302 {behavior.default_seconds}s;"]
    lines += [f"proxy_cache_valid {status} {life}s;" for status, life in ERROR_SECONDS.items()]
    fixed = {**RESPONSE_HEADERS, "X-Content-Type-Options": "nosniff"}
    lines += [f"add_header {name} {value} always;" for name, value in fixed.items()]
    if behavior.key_headers:
        lines += [f"proxy_set_header {name} ${_variable(name)};" for name in behavior.key_headers]
        key = " ".join(f"${_variable(name)}" for name in behavior.key_headers)
        lines += [f'proxy_cache_key "$edge_path {key}";']
    if behavior.compressed and behavior.origin == "images":
        # The origin's nginx compresses these itself, which CloudFront keeps: its own compression
        # knows neither JSON-LD nor small answers.
        lines += ["gzip_types *;", f"gzip_min_length {INFORMATION_COMPRESSED_FROM_BYTES};"]
    body = "\n".join(f"            {line}" for line in lines)
    return f"""
        location {location_name(behavior)} {{{_ORIGINS[behavior.origin]}
            proxy_cache edge;
{body}
            gzip {"on" if behavior.compressed else "off"};
            add_header X-Cache $upstream_cache_status always;
        }}"""


def _variable(header: str) -> str:
    """Return the name of the variable that holds a header as the function left it."""
    return f"edge_{header.lower()}"


def location_name(behavior: Behavior) -> str:
    """Return the name of a behavior's location."""
    return f"@{behavior.name.lower()}"


def routes() -> str:
    """Return JavaScript that says which location takes which path; the first match counts."""
    rows = [[_expression(behavior.pattern), location_name(behavior)] for behavior in BEHAVIORS]
    return f"const ROUTES = {json.dumps(rows)};\n"


def _expression(pattern: str) -> str:
    return f"^{re.escape(pattern).replace(re.escape('*'), '.*')}$"


def kept_statuses() -> str:
    """Return the statuses that may be cached, as lines of a `map`."""
    return " ".join(f'{status} "";' for status in sorted({*KEPT_WHERE_ALLOWED, *ERROR_SECONDS}))
