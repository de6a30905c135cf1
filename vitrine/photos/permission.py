"""The permission to send a photograph: judged by its form, before the photograph is read."""

import time
from collections.abc import Mapping

from vitrine.api.http import ApiRequest
from vitrine.api.photo_forms import Form
from vitrine.api.problems import Problem
from vitrine.photos.services import PhotoServices

FORM_BYTES = 64 << 10
"""Bytes of a body beyond the photograph: the fields and boundaries of a form."""
_HOUR = 3_600


def bearer_token(request: ApiRequest) -> str:
    """Return the token in the head of a request; "" if it has none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def permit_body(
    services: PhotoServices, request: ApiRequest, length: int, fields: Mapping[str, str]
) -> Form:
    """Return the form that allows a body of `length` bytes.

    Its token is in the head or among the fields. Raises Problem, with the codes form-missing,
    form-invalid and photo-too-large, and TransientError.
    """
    token = bearer_token(request) or fields.get("token", "")
    if not token:
        raise Problem("form-missing", headers={"www-authenticate": "Bearer"})
    form = services.forms.verify(token)
    most = min(form.most_bytes, services.most_bytes)
    if length > most + FORM_BYTES:
        raise Problem("photo-too-large", f"It has {length:,} bytes; {most:,} are allowed.")
    return form


def count_photograph(services: PhotoServices, form: Form) -> None:
    """Count this photograph for its form's subject and hour. Raises Problem, TransientError."""
    now = int(time.time())
    hour = now // _HOUR
    used = services.uses.add(f"{form.subject}#{hour}", expires=(hour + 2) * _HOUR)
    if used > form.photos_per_hour:
        raise Problem(
            "photos-exhausted",
            f"The form allows {form.photos_per_hour:,} an hour.",
            headers={"retry-after": str((hour + 1) * _HOUR - now)},
        )
