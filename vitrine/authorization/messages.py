"""What the token and the probe service say (Authorization Flow 2.0, 4.4, 4.5, 5.2; 1.0, 4.2)."""

from collections.abc import Mapping
from typing import Any, Literal

from vitrine.access.descriptions import CONTEXT_2, in_languages

Version = Literal["1", "2"]
_ERRORS_1 = {
    "invalidRequest": "invalidRequest",
    "invalidOrigin": "invalidOrigin",
    "missingAspect": "missingCredentials",
    "invalidAspect": "invalidCredentials",
    "expiredAspect": "invalidCredentials",
    "unavailable": "unavailable",
}
ERRORS: Mapping[str, tuple[str, str]] = {
    "invalidRequest": ("This request cannot be answered", "The viewer asked in a wrong way."),
    "invalidOrigin": (
        "This page may not ask",
        "The institution lets only some sites ask who may see its images.",
    ),
    "missingAspect": (
        "You are not let in yet",
        "If you have signed in or accepted the terms just now, then your browser keeps back the "
        "cookie: it blocks those of other sites.",
    ),
    "invalidAspect": ("This does not let you in here", "Try the way in again."),
    "unshown": ("This image is not shown", "The institution lets nobody see more of it now."),
    "expiredAspect": ("Your time is over", "Sign in or accept the terms again."),
    "unavailable": ("This does not work just now", "Try again in a minute."),
}
"""Heading and note of each profile of an error, and of a probe's answer, in English."""


def token_message(version: Version, message_id: str, token: str, seconds: int) -> dict[str, Any]:
    """Return the message that has an access token."""
    body = {"accessToken": token, "expiresIn": seconds, "messageId": message_id}
    if version == "1":
        return body
    return {"@context": CONTEXT_2, "type": "AuthAccessToken2", **body}


def error_message(version: Version, message_id: str, profile: str) -> dict[str, Any]:
    """Return the message that says why there is no token."""
    heading, note = ERRORS[profile]
    if version == "1":
        description = f"{heading}. {note}"
        return {
            "error": _ERRORS_1[profile],
            "description": description,
            "messageId": message_id,
        }
    return {
        "@context": CONTEXT_2,
        "type": "AuthAccessTokenError2",
        "profile": profile,
        "heading": in_languages({"en": heading}),
        "note": in_languages({"en": note}),
        "messageId": message_id,
    }


def probe_result(
    status: int,
    *,
    texts: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {}),
    substitute: Mapping[str, Any] | None = None,
    location: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the answer of a probe; `texts` are the heading and the note, by language.

    Raises ValueError for what section 5.2 forbids.
    """
    heading, note = texts
    if location and not 300 <= status < 400:
        raise ValueError("a location goes with a redirect only")
    if substitute and status < 400:
        raise ValueError("a substitute is for those who are denied")
    if note and not heading:
        raise ValueError("a note goes with a heading")
    parts = {
        "substitute": [substitute] if substitute else None,
        "location": location,
        "heading": in_languages(heading),
        "note": in_languages(note),
    }
    found = {name: part for name, part in parts.items() if part}
    return {"@context": CONTEXT_2, "type": "AuthProbeResult2", "status": status, **found}
