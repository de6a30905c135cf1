"""Events as a function URL makes them of the edge's requests."""

from typing import Any

BASE = "https://images.example.org"


def event(path: str, method: str = "GET", **headers: str) -> dict[str, Any]:
    """The event of a request of the edge's; `_` in the names of headers stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {
        "host": "abc.lambda-url.eu-west-1.on.aws",
        "x-forwarded-proto": "https",
        "x-public-base": BASE,
        "x-request-uri": path,
        "x-amz-cf-id": "edge-1",
    }
    return {
        "version": "2.0",
        "rawPath": path.replace("%2F", "/"),
        "rawQueryString": "",
        "headers": sent | named,
        "requestContext": {"http": {"method": method, "path": path, "protocol": "HTTP/1.1"}},
        "isBase64Encoded": False,
    }
