"""The pages that people and viewers get: they need one script each, and nothing from elsewhere."""

import secrets
from collections.abc import Mapping
from typing import Any

import jinja2

from vitrine.api.http import ApiResponse

_LAYOUT = """<!doctype html>
<html lang="{{ language }}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style nonce="{{ nonce }}">
body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 36rem;
       padding: 0 1rem; color: #1a1a1a; background: #fff; }
h1 { font-size: 1.4rem; }
p { white-space: pre-line; }
button { font: inherit; padding: .6rem 1.2rem; }
</style>
</head>
<body>
<main>
<h1>{{ title }}</h1>
<p>{{ text }}</p>
{% if form %}<form action="{{ form.action }}">
<input type="hidden" name="state" value="{{ form.state }}">
<button>{{ form.label }}</button>
</form>{% endif %}
{% if link %}<p><a href="{{ link[0] }}">{{ link[1] }}</a></p>{% endif %}
</main>
{% if closes %}<script nonce="{{ nonce }}">window.close();</script>{% endif %}
</body>
</html>
"""
_TOKEN = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Token</title></head>
<body>
<script nonce="{{ nonce }}">
window.parent.postMessage({{ message | tojson }}, {{ origin | tojson }});
</script>
</body>
</html>
"""
_environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
_layout = _environment.from_string(_LAYOUT)
_token = _environment.from_string(_TOKEN)


def page(
    status: int,
    title: str,
    text: str,
    *,
    language: str = "en",
    form: Mapping[str, str] | None = None,
    link: tuple[str, str] | None = None,
    closes: bool = False,
    cookies: tuple[str, ...] = (),
    headers: Mapping[str, str] = {},
) -> ApiResponse:
    """Return a page for a person. `form` has an `action`, a `state` and the `label` of a button,
    `link` an address and its text; a page that `closes` ends the tab that the viewer opened."""
    values = {
        "title": title,
        "text": text,
        "language": language,
        "form": form,
        "link": link,
        "closes": closes,
    }
    return _page_response(status, _layout, "'none'", values, cookies, headers)


def refuse(status: int, sentence: str, headers: Mapping[str, str] = {}) -> ApiResponse:
    """Return the page for a request that no viewer of ours sends."""
    return page(status, "This address does not work", sentence, headers=headers)


def token_page(
    message: Mapping[str, Any], origin: str, cookies: tuple[str, ...] = ()
) -> ApiResponse:
    """Return the page for a viewer's frame: it posts a message to the viewer's origin only.

    Any page may frame it, since a page may frame the viewer's in turn.
    """
    return _page_response(200, _token, "*", {"message": message, "origin": origin}, cookies)


def _page_response(
    status: int,
    template: jinja2.Template,
    ancestors: str,
    values: Mapping[str, Any],
    cookies: tuple[str, ...],
    more_headers: Mapping[str, str] = {},
) -> ApiResponse:
    nonce = secrets.token_urlsafe(16)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
        f"form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}"
    )
    headers = {
        **more_headers,
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    body = template.render(nonce=nonce, **values).encode()
    return ApiResponse(status=status, headers=headers, body=body, cookies=cookies)
