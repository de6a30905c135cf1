"""How image information and manifests describe the way in: IIIF Authorization 2.0 and 1.0.

Both, side by side: the viewers that most institutions have know 1.0 only. Authorization Flow 2.0,
section 2.1: the probe is in the image's `service`, its context comes before the image's own.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from vitrine.access.rights import Right, choose_text

CONTEXT_2 = "http://iiif.io/api/auth/2/context.json"
CONTEXT_1 = "http://iiif.io/api/auth/1/context.json"
AUTH = "/auth"
"""Path of all services at the edge."""
SIGN_OUT: Mapping[str, str] = {"en": "Sign out"}
_PROFILES = {
    "role": ("active", "login"),
    "terms": ("active", "clickthrough"),
    "place": ("external", "external"),
}
"""Profiles of each kind of right: the one of 2.0, then the one of 1.0."""


def describe_services(base: str, identifier: str, name: str, right: Right) -> list[dict[str, Any]]:
    """Return what `service` of an image has that only holders of a right may see.

    `base` is the scheme and host of the edge.
    """
    return [
        describe_probe(base, identifier, name, right),
        {"@context": CONTEXT_1, **describe_login_1(base, name, right)},
    ]


def contexts(own: str) -> list[str]:
    """Return the contexts of a document of version 3 with the services (section 2.1)."""
    return [CONTEXT_2, own]


def describe_context(services: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the services for a document of version 2, where each says its own context."""
    return [{"@context": CONTEXT_2, **service} for service in services]


def describe_probe(base: str, identifier: str, name: str, right: Right) -> dict[str, Any]:
    """Return the probe service and in it the others (Authorization Flow 2.0, section 2.1).

    Each has a profile, which the specification wants of the access service only: Mirador 4, which
    looks for services of 1.0, shows no way in where one of any kind has none.
    """
    profile, _ = _PROFILES[right.kind]
    here = f"{base}{AUTH}/{name}"
    inner: list[dict[str, Any]] = [
        {"id": f"{here}/token/2", "type": "AuthAccessTokenService2", "profile": "token"}
    ]
    access: dict[str, Any] = {"type": "AuthAccessService2", "profile": profile}
    if profile == "active":
        access["id"] = f"{here}/login"
        label = in_languages(SIGN_OUT)
        inner.append(
            {
                "id": f"{here}/logout",
                "type": "AuthLogoutService2",
                "profile": "logout",
                "label": label,
            }
        )
    texts = {
        "label": right.label,
        "heading": right.heading,
        "note": right.note,
        "confirmLabel": right.confirm,
    }
    access |= {key: in_languages(value) for key, value in texts.items() if value}
    return {
        "id": f"{here}/probe?image={quote(identifier, safe='')}",
        "type": "AuthProbeService2",
        "profile": "probe",
        "service": [{**access, "service": inner}],
    }


def describe_login_1(
    base: str, name: str, right: Right, languages: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the access cookie service (Authentication 1.0, section 2), in one language."""
    _, profile = _PROFILES[right.kind]
    here = f"{base}{AUTH}/{name}"
    texts = {
        "label": right.label,
        "header": right.heading,
        "description": right.note,
        "confirmLabel": right.confirm,
    }
    inner = [{"@id": f"{here}/token/1", "profile": "http://iiif.io/api/auth/1/token"}]
    if profile != "external":
        inner.append(
            {
                "@id": f"{here}/logout",
                "profile": "http://iiif.io/api/auth/1/logout",
                "label": choose_text(SIGN_OUT, languages),
            }
        )
    return {
        "@id": f"{here}/login",
        "profile": f"http://iiif.io/api/auth/1/{profile}",
        **{key: choose_text(value, languages) for key, value in texts.items() if value},
        "service": inner,
    }


def in_languages(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return texts as a language map (Presentation 3.0, section 4.1)."""
    return {language: [text] for language, text in texts.items()}
