"""The edge's policies as nginx's: a location for each kind of address."""

import json
import re

from vitrine.edge.policies import (
    BEHAVIORS,
    DAY,
    DESK,
    ERROR_SECONDS,
    EXPOSED_HEADERS,
    INFORMATION_COMPRESSED_FROM_BYTES,
    KEPT_WHERE_ALLOWED,
    PERMISSIONS_POLICY,
    PHOTO_EXPOSED_HEADERS,
    PHOTO_HEADERS,
    PHOTO_METHODS,
    REFERRER_POLICY,
    REMOVED_HEADERS,
    RESPONSE_HEADERS,
    RESTRICTED_LIFE,
    TICKET_HEADER,
    Behavior,
    page_policy,
)

_BALANCER = """if ($unforwarded) {
                return 404;
            }
            error_page 404 = /.edge/missing;
            error_page ${SITE_ERRORS} /.edge/error;"""
"""Answers in place of the balancer what none of its rules forwards."""
_ORIGINS = {
    "images": """
            ${BALANCER}
            proxy_pass http://origin$edge_path;
            # One name for all: with the viewer's own, one could put a name of their choice
            # into what others get.
            proxy_set_header Host ${ORIGIN_HOST};
            proxy_set_header X-Public-Base http://127.0.0.1:${PORT};
            proxy_set_header X-Request-Uri $edge_path;
            proxy_set_header X-Edge-Distribution "${DISTRIBUTION}";
            proxy_set_header Connection "";
            proxy_set_header Content-Length "";
            proxy_set_header Transfer-Encoding "";
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Amzn-Trace-Id Root=$trace;
            proxy_set_header X-Viewer-Address $viewer_address;
            proxy_set_header X-Viewer-Signals $viewer_signals;""",
    "site": """
            proxy_pass http://emulator/${SITE_BUCKET}$edge_path;
            proxy_set_header Host 127.0.0.1:${EMULATOR_PORT};
            proxy_set_header X-Edge-Distribution "${DISTRIBUTION}";
            proxy_set_header Connection "";
            proxy_set_header Content-Length "";
            proxy_set_header Transfer-Encoding "";
            proxy_hide_header x-amz-meta-status;
            proxy_hide_header x-amz-meta-location;
            proxy_intercept_errors on;
            error_page 403 404 = /.edge/missing;
            error_page ${SITE_ERRORS} /.edge/error;""",
}
PHOTO_DOOR = """
        # As CloudFront's behavior for the photo door: nothing is kept, and no function is run.
        location = /photos {
            set $edge_path $uri;
            ${BALANCER}
            client_max_body_size 300m;
            proxy_pass http://origin;
            proxy_set_header Host ${ORIGIN_HOST};
            proxy_set_header Connection "";
            proxy_set_header X-Amzn-Trace-Id Root=$trace;
            proxy_pass_request_headers on;
            proxy_pass_request_body on;
            proxy_request_buffering off;
            proxy_read_timeout ${READ_SECONDS}s;
            add_header X-Cache EDGE always;
${PHOTO_HEADERS}
        }"""
"""Location of the photo door, if image tasks are one."""
PHOTO_FUNCTION = """
        # As CloudFront's behavior for a photo door that is a Lambda, after its function.
        location = /photos {
            client_max_body_size 300m;
            js_content photos.serve;
        }
        location @photos {
            client_max_body_size 300m;
            proxy_pass http://emulator/_aws/execute-api/${PHOTO_API}$edge_path$is_args$args;
            proxy_set_header Host 127.0.0.1:${EMULATOR_PORT};
            proxy_set_header X-Edge-Distribution "${DISTRIBUTION}";
            proxy_set_header X-Public-Base http://127.0.0.1:${PORT};
            proxy_set_header Connection "";
            proxy_pass_request_headers on;
            proxy_pass_request_body on;
            add_header X-Cache EDGE always;
${PHOTO_HEADERS}
        }"""
"""The same, if a Lambda is."""
ACCESS_SERVICES = """
        # As CloudFront's behavior for the services of access, after its function.
        location /auth/ {
            # CloudFront refuses any other method itself, without a word to the origin.
            if ($request_method !~ ^(GET|HEAD|OPTIONS)$) {
                return 403;
            }
            js_content auth.serve;
        }
        location @auth {
            proxy_pass http://emulator$edge_path$is_args$args;
            proxy_set_header Host ${AUTH_HOST};
            proxy_set_header X-Edge-Distribution "${DISTRIBUTION}";
            proxy_set_header X-Public-Base http://127.0.0.1:${PORT};
            proxy_set_header X-Viewer-Address $viewer_address;
            proxy_set_header X-Viewer-Authorization $http_authorization;
            proxy_set_header Authorization "";
            proxy_set_header Connection "";
            proxy_pass_request_headers on;
            add_header X-Cache EDGE always;
        }"""
"""Location of the services that let people in to restricted images."""
API = """
        # The API for the desk, which signs in nobody here: for pages of this edge alone, and never
        # with a header of CORS.
        location /api/ {
            default_type application/json;
            if ($foreign_caller) {
                add_header Cache-Control no-store always;
                return 403 '{"message":"only pages of this very address may call the API here"}';
            }
            if ($api_path = "") {
                return 404;
            }
            client_max_body_size 5m;
            proxy_pass http://emulator/_aws/execute-api/${API}$api_path;
            proxy_set_header Host 127.0.0.1:${EMULATOR_PORT};
            proxy_set_header X-Edge-Distribution "${DISTRIBUTION}";
            # The emulator knows the account's root by its key's name, whatever the signature is.
            set $credential test/20200101/us-east-1/execute-api/aws4_request;
            set $signature "Credential=$credential, SignedHeaders=host, Signature=0";
            proxy_set_header Authorization "AWS4-HMAC-SHA256 $signature";
            proxy_set_header Cookie "";
            proxy_set_header Origin "";
            proxy_set_header Connection "";
            proxy_pass_request_headers on;
            proxy_pass_request_body on;
${API_HEADERS}
        }"""
"""Location of the API. Its path goes on as it was written: an identifier's slash is %2F."""
SEARCHES_INSIDE = """
        # As CloudFront's behavior for searches inside objects, after its function.
        location /inside/ {
            js_content inside.serve;
        }
        location @inside {
            proxy_pass http://emulator$edge_path?$edge_args;
            proxy_set_header Host ${INSIDE_HOST};
            proxy_set_header X-Edge-Distribution "${DISTRIBUTION}";
            proxy_set_header X-Public-Base http://127.0.0.1:${PORT};
            proxy_set_header X-Request-Uri $edge_path;
            proxy_set_header Connection "";
            proxy_cache edge;
            proxy_cache_key $edge_path?$edge_args;
            add_header X-Cache $upstream_cache_status always;
${FIXED_HEADERS}
        }"""
"""Location of searches inside objects: kept by the query as the function writes it."""
MCP_ENDPOINT = """
        # As CloudFront's behavior for programs that speak MCP, after its function.
        location = /mcp {
            # As API Gateway takes it.
            client_max_body_size 10m;
            js_content mcp.serve;
        }
        location @mcp {
            client_max_body_size 10m;
            proxy_pass http://emulator/_aws/execute-api/${MCP_API}$edge_path;
            proxy_set_header Host 127.0.0.1:${EMULATOR_PORT};
            proxy_set_header X-Edge-Distribution "${DISTRIBUTION}";
            proxy_set_header Connection "";
            proxy_pass_request_headers on;
            proxy_pass_request_body on;
            add_header X-Cache EDGE always;
        }"""
"""Location of the endpoint for programs that speak MCP."""
*_FIRST, _LAST = BEHAVIORS
LOCAL_BEHAVIORS = (*_FIRST, DESK, _LAST)
"""In the order they are tried: one machine always has the desk."""
DESK_SOURCES = ("http://127.0.0.1:${EMULATOR_PORT}",)
"""The bucket of masters, to which the desk sends them."""
_CORS_HEADERS = tuple(
    f"Access-Control-{name}"
    for name in ("Allow-Origin", "Allow-Methods", "Allow-Headers", "Expose-Headers", "Max-Age")
)
OWN_ERRORS = "400 404 405 408 412 413 414 416 494 500 501 502 503 504 505"
"""Statuses that nginx gives itself; it says them as the function says its own."""


def locations(
    frame_ancestors: str,
    *,
    photo_door: bool = False,
    photo_function: bool = False,
    access_services: bool = False,
    searches_content: bool = False,
    has_api: bool = False,
    has_mcp: bool = False,
) -> str:
    """Return all locations, for the configuration's `server`; `${NAMES}` are filled in later."""
    found = [_write_location(behavior, frame_ancestors) for behavior in LOCAL_BEHAVIORS]
    if photo_door:
        door = PHOTO_FUNCTION if photo_function else PHOTO_DOOR
        found.append(door.replace("${PHOTO_HEADERS}", _indent_lines(_photo_headers())))
    if access_services:
        found.append(ACCESS_SERVICES)
    if searches_content:
        found.append(SEARCHES_INSIDE.replace("${FIXED_HEADERS}", _indent_lines(_fixed_headers())))
    if has_api:
        found.append(API.replace("${API_HEADERS}", _indent_lines(_api_headers())))
    if has_mcp:
        found.append(MCP_ENDPOINT)
    return "\n".join(found).replace("${BALANCER}", _BALANCER)


def _site_headers(policy: str) -> list[str]:
    """Return the lines for answers of the site. One layer says CORS: not the emulator, but we."""
    added = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": ", ".join(EXPOSED_HEADERS),
        "Content-Security-Policy": policy,
        "Referrer-Policy": REFERRER_POLICY,
        "Permissions-Policy": PERMISSIONS_POLICY,
    }
    # The last is the emulator's; S3 has no such header.
    names = (*_CORS_HEADERS, *REMOVED_HEADERS, "x-amzn-requestid")
    hidden = [f"proxy_hide_header {name};" for name in names]
    return hidden + [f'add_header {name} "{value}" always;' for name, value in added.items()]


def _photo_headers() -> list[str]:
    """Return the lines for answers of the photo door, no matter who gives them in its place."""
    added = {
        **RESPONSE_HEADERS,
        "X-Content-Type-Options": "nosniff",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": ", ".join(PHOTO_METHODS),
        "Access-Control-Allow-Headers": ", ".join(PHOTO_HEADERS),
        "Access-Control-Expose-Headers": ", ".join(PHOTO_EXPOSED_HEADERS),
        "Access-Control-Max-Age": str(DAY),
    }
    hidden = [f"proxy_hide_header {name};" for name in _CORS_HEADERS]
    return hidden + [f'add_header {name} "{value}" always;' for name, value in added.items()]


def _api_headers() -> list[str]:
    """Return the lines for answers of the API, which only pages of this edge may read."""
    added = {
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Cache": "EDGE",
    }
    hidden = [f"proxy_hide_header {name};" for name in _CORS_HEADERS]
    return hidden + [f'add_header {name} "{value}" always;' for name, value in added.items()]


def _indent_lines(lines: list[str]) -> str:
    return "\n".join(f"            {line}" for line in lines)


def kept_lines(behavior: Behavior) -> list[str]:
    """Return the lines that say how long an answer is kept where the origin does not say it."""
    lines = [f"proxy_cache_valid 200 206 301 302 {behavior.default_seconds}s;"]
    return lines + [
        f"proxy_cache_valid {status} {life}s;" for status, life in ERROR_SECONDS.items()
    ]


def _fixed_headers() -> list[str]:
    fixed = {**RESPONSE_HEADERS, "X-Content-Type-Options": "nosniff"}
    return [f"add_header {name} {value} always;" for name, value in fixed.items()]


def _write_location(behavior: Behavior, frame_ancestors: str) -> str:
    # A maximum has no counterpart in nginx; our origins never say more.
    lines = kept_lines(behavior)
    lines += _fixed_headers()
    if behavior.origin == "site":
        lines += _site_headers(page_policy(behavior, frame_ancestors, DESK_SOURCES))
    if behavior.is_restricted:
        lines += ["proxy_hide_header Cache-Control;"]
        lines += [f'add_header Cache-Control "{RESTRICTED_LIFE}" always;']
        lines += [f"add_header Referrer-Policy {REFERRER_POLICY} always;"]
        lines += [f"proxy_set_header {TICKET_HEADER} $edge_ticket;"]
    sent = {name: f"${_header_variable(name)}" for name in behavior.key_headers}
    if behavior.compressed and behavior.origin == "images":
        # The origin compresses these itself, which CloudFront keeps, a copy for each coding: its
        # own compression knows neither JSON-LD nor small answers.
        sent["Accept-Encoding"] = "$edge_coding"
        lines += ["gzip_types *;", f"gzip_min_length {INFORMATION_COMPRESSED_FROM_BYTES};"]
        lines += ["gzip_vary off;"]  # the origin says it
    lines += [f"proxy_set_header {name} {value};" for name, value in sent.items()]
    if sent:
        lines += [f'proxy_cache_key "$edge_path {" ".join(sent.values())}";']
    return f"""
        location {location_name(behavior)} {{{_ORIGINS[behavior.origin]}
            proxy_cache edge;
{_indent_lines(lines)}
            gzip {"on" if behavior.compressed else "off"};
            brotli {"on" if behavior.compressed else "off"};
            add_header X-Cache $upstream_cache_status always;
        }}"""


def _header_variable(header: str) -> str:
    """Return the name of the variable that holds a header as the function left it."""
    return f"edge_{header.lower()}"


def location_name(behavior: Behavior) -> str:
    """Return the name of a behavior's location."""
    return f"@{behavior.name.lower()}"


AUTH_ROUTES = 'const ROUTES = [["^/auth/", "@auth"]];\n'
INSIDE_ROUTES = 'const ROUTES = [["^/inside/", "@inside"]];\n'
MCP_ROUTES = 'const ROUTES = [["^/mcp$", "@mcp"]];\n'
PHOTO_ROUTES = 'const ROUTES = [["^/photos$", "@photos"]];\n'


def routes() -> str:
    """Return JavaScript that says which location takes which path; the first match counts."""
    rows = [
        [_path_expression(behavior.pattern), location_name(behavior)]
        for behavior in LOCAL_BEHAVIORS
    ]
    return f"const ROUTES = {json.dumps(rows)};\n"


def _path_expression(pattern: str) -> str:
    return f"^{re.escape(pattern).replace(re.escape('*'), '.*')}$"


def kept_statuses() -> str:
    """Return the statuses that may be cached, as lines of a `map`."""
    return " ".join(f'{status} "";' for status in sorted({*KEPT_WHERE_ALLOWED, *ERROR_SECONDS}))
