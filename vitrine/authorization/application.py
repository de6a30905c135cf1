"""The services of access as one function: a request in, an answer out, behind any server.

/auth/{right}/login?origin=             the access service: signing in, terms, or a place
/auth/callback?code=&state=             where the provider sends people back to
/auth/{right}/accept?state=             terms are accepted
/auth/{right}/token/{1|2}?messageId=&origin=    the token services
/auth/{right}/probe?image=              the probe service
/auth/{right}/logout                    the logout service
"""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from vitrine.access.descriptions import AUTH
from vitrine.access.rights import Right
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.authorization import login, pages, probe, tokens
from vitrine.authorization.exchange import Visit
from vitrine.authorization.provider_http import ProviderUnusable
from vitrine.authorization.services import AuthorizationServices, logger
from vitrine.errors import AccessRefused, ServiceRefused, TransientError

MAX_QUERY_LENGTH = 8_192
MAX_FIELDS = 20
RETRY_SECONDS = 10
_PREFLIGHT = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD, OPTIONS",
    "access-control-allow-headers": "authorization",
    "access-control-max-age": "86400",
}
"""Headers of the answer to a preflight of the probe, which viewers send with an Authorization
header (section 5)."""


def answer(services: AuthorizationServices, request: ApiRequest) -> ApiResponse:
    """Answer a request. Defects raise; all else is an answer."""
    try:
        return _answer_visit(services, request)
    except (TransientError, ServiceRefused, AccessRefused, ProviderUnusable) as error:
        logger.warning("a way in is closed: %s", error)
        busy = isinstance(error, TransientError)
        return pages.page(
            503 if busy else 502,
            "This does not work just now",
            "Nobody can be let in at the moment. Close this window and try again in a minute.",
            headers={"retry-after": str(RETRY_SECONDS)} if busy else {},
        )


def _answer_visit(services: AuthorizationServices, request: ApiRequest) -> ApiResponse:
    if request.method == "OPTIONS":
        return ApiResponse(status=204, headers=_PREFLIGHT)
    if request.method not in ("GET", "HEAD"):
        return pages.refuse(405, "Only GET is answered here.", {"allow": "GET, HEAD, OPTIONS"})
    fields = _read_query(request.query)
    if fields is None:
        return pages.refuse(400, "The address is too long, or says something twice.")
    segments = request.path.removeprefix(AUTH).split("/")[1:]
    access = services.access()
    visit = Visit(
        services=services,
        access=access,
        headers=request.headers,
        fields=fields,
        base=services.base_url or request.headers.get("x-public-base", ""),
        # The edge writes it over what a viewer may have sent; nobody else reaches this door.
        address=request.headers.get("x-viewer-address", ""),
    )
    if segments == ["callback"]:
        return login.finish_login(visit)
    name, *rest = segments or [""]
    right = access.rights.get(name)
    serve = _SERVICES.get("/".join(rest))
    if right is None or serve is None:
        return pages.refuse(404, "There is no such address.")
    return serve(visit, name, right)


_SERVICES: Mapping[str, Callable[[Visit, str, Right], ApiResponse]] = {
    "login": login.start_login,
    "accept": login.accept_terms,
    "logout": login.log_out,
    "token/1": tokens.give_token_1,
    "token/2": tokens.give_token_2,
    "probe": probe.answer_probe,
}


def _read_query(query: str) -> dict[str, str] | None:
    """Return the fields of a query; None for one that is too long, or has a field twice."""
    if len(query) > MAX_QUERY_LENGTH:
        return None
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        return None
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else None
