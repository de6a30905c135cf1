"""Events of an HTTP API of API Gateway, payload format 2.0, as requests and answers."""

import base64
from collections.abc import Mapping
from typing import Any

from vitrine.api.http import ApiRequest, ApiResponse


def request_of(event: Mapping[str, Any]) -> ApiRequest:
    """Return the request of an event.

    The gateway decodes a path but for `%25`, so that a per cent sign is always an escaped one.
    """
    body = event.get("body") or ""
    context = event["requestContext"]
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    if event.get("cookies"):
        headers["cookie"] = "; ".join(event["cookies"])
    return ApiRequest(
        method=context["http"]["method"],
        path=event["rawPath"].replace("%25", "%"),
        query=event.get("rawQueryString", ""),
        headers=headers,
        body=base64.b64decode(body)
        if event.get("isBase64Encoded")
        else body.encode(errors="surrogatepass"),
        caller=_read_caller(context.get("authorizer") or {}),
        scopes=_read_scopes(context.get("authorizer") or {}),
    )


def response_event(response: ApiResponse) -> dict[str, Any]:
    """Return an answer as the gateway takes it."""
    media_type = response.headers.get("content-type", "")
    binary = "content-encoding" in response.headers or media_type.startswith("multipart/")
    text = base64.b64encode(response.body) if binary else response.body
    return {
        "statusCode": response.status,
        "headers": dict(response.headers),
        **({"cookies": list(response.cookies)} if response.cookies else {}),
        "body": text.decode(),
        "isBase64Encoded": binary,
    }


def _read_caller(authorizer: Mapping[str, Any]) -> str:
    """Return whom the gateway let through; "" if it did not ask."""
    identity = authorizer.get("iam") or {}
    claims = (authorizer.get("jwt") or {}).get("claims") or {}
    if identity.get("userArn"):
        return str(identity["userArn"])
    subject = claims.get("sub") or claims.get("client_id") or ""
    return f"{claims.get('iss', '')} {subject}".strip() if subject else ""


def _read_scopes(authorizer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the scopes of a token: in a string, or in a list that the gateway made one of.

    A scope has no space (RFC 6749, section 3.3); the gateway looks into the same two claims.
    """
    claims = (authorizer.get("jwt") or {}).get("claims") or {}
    text = str(claims.get("scope") or claims.get("scp") or "")
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return tuple(text.split())
