"""Signed forms for the photo door."""

import mimetypes
import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.photo_forms import Form, Forms
from vitrine.api.problems import Problem
from vitrine.api.resources import Moment, Upload, UploadAddress
from vitrine.api.services import Services
from vitrine.ingest.start.start_ingest import IDENTIFIER_METADATA
from vitrine.store.clock import rfc3339
from vitrine.store.layout import PHOTOS

PATH = "/photos"
"""Path of the photo door, at the edge."""
MAX_UPLOAD_BYTES = 128 << 20
"""Bytes of a photograph that is uploaded first: the door decodes it from memory."""


class SignPhotoForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A form for the photo door to be signed."""

    subject: Annotated[
        str,
        Meta(
            max_length=200,
            description="Who sends; photographs are counted by it. Without it, the caller is.",
        ),
    ] = ""
    seconds: Annotated[int, Meta(ge=1, le=86_400, description="How long the form is valid.")] = 900
    photos_per_hour: Annotated[int, Meta(ge=1, le=100_000)] = 100
    most_bytes: Annotated[
        int, Meta(ge=1, le=256 << 20, description="Largest photograph in the body of a request.")
    ] = 32 << 20
    store: Annotated[
        bool, Meta(description="False: photographs get thumbnails, and do not become images.")
    ] = True
    upload: Annotated[
        Upload | None,
        Meta(description="One photograph that is too large for the door, to be uploaded first."),
    ] = None


class PhotoForm(Struct, frozen=True, kw_only=True):
    """A signed form."""

    address: Annotated[str, Meta(description="Where to send the photograph, by POST.")]
    token: Annotated[
        str, Meta(description="For `Authorization: Bearer`, or a form's field `token`.")
    ]
    expires_at: Moment
    key: (
        Annotated[
            str, Meta(description='Once uploaded, send `{"upload": KEY}` to `address` as JSON.')
        ]
        | UnsetType
    ) = UNSET
    upload: UploadAddress | UnsetType = UNSET


def sign_photo_form(call: Call) -> OperationResult:
    """Return a signed form, and where to upload if the photograph is too large for the door."""
    services, body = call.services, call.body
    if not services.most_photo_bytes:
        raise Problem("not-found", "This environment has no photo door.")
    services.rights.check_all("Photographs belong to")
    expires = datetime.now(UTC) + timedelta(seconds=body.seconds)
    key, upload = _sign_upload(services, body.upload, body.seconds) if body.upload else ("", None)
    form = Form(
        subject=body.subject or services.caller,
        expires=int(time.time()) + body.seconds,
        photos_per_hour=body.photos_per_hour,
        most_bytes=body.upload.bytes if body.upload else body.most_bytes,
        store=body.store,
        upload=key,
    )
    content = PhotoForm(
        address=services.edge_url + PATH,
        token=Forms(services.publisher.records).sign(form),
        expires_at=rfc3339(expires),
        key=key or UNSET,
        upload=upload or UNSET,
    )
    return OperationResult(content=content, status=201)


def _sign_upload(services: Services, upload: Upload, seconds: int) -> tuple[str, UploadAddress]:
    if upload.bytes > MAX_UPLOAD_BYTES:
        raise Problem("master-too-large", f"At most {MAX_UPLOAD_BYTES >> 20} MiB are taken.")
    name = secrets.token_hex(12)
    extension = mimetypes.guess_extension(upload.content_type) or ".jpg"
    key = f"{PHOTOS}{name}{extension}"
    address, headers = services.uploads.upload_address(
        key,
        size=upload.bytes,
        content_type=upload.content_type,
        metadata={IDENTIFIER_METADATA: f"photo-{name}"},
        seconds=seconds,
    )
    expires = datetime.now(UTC) + timedelta(seconds=seconds)
    return key, UploadAddress(address=address, headers=headers, expires_at=rfc3339(expires))


OPERATIONS = (
    Operation(
        name="signPhotoForm",
        method="POST",
        path="/photo-forms",
        summary="Sign a form with which somebody may send photographs to the photo door.",
        act=sign_photo_form,
        body=SignPhotoForm,
        example={"subject": "reading-room", "seconds": 900, "photos_per_hour": 50},
        answers={201: PhotoForm},
        problems=("master-too-large",),
    ),
)
