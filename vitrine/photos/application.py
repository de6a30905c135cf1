"""The photo door as a function: a request in, an answer out, behind any server."""

import time
from functools import partial

from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.api.photo_forms import Form
from vitrine.api.problems import Problem, problem_of, problem_response
from vitrine.errors import InvalidRequest, MasterRejected, ObjectMissing, PreconditionFailed
from vitrine.ingest.start.start_ingest import IDENTIFIER_METADATA
from vitrine.photos.answers import PhotographResult, StoredPhoto, check_answer, respond
from vitrine.photos.bodies import Submission, read_submission
from vitrine.photos.metadata import MAX_BYTES, TooMuchMetadata, read_fields
from vitrine.photos.permission import count_photograph, permit_body
from vitrine.photos.photo_bytes import PhotoData
from vitrine.photos.photograph import Photograph, inspect_photograph, problem_of_rejection
from vitrine.photos.picture import render_thumbnails, upright_size
from vitrine.photos.services import PhotoServices
from vitrine.photos.thumbnails import MAX_THUMBNAILS, ThumbnailPlan, plan_thumbnail
from vitrine.store.layout import photo_identifier, photo_key

PATH = "/photos"
CORS = {"access-control-allow-origin": "*"}
"""A page of any site may send photographs, if it has a form."""
_PREFLIGHT = {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization, content-type",
    "access-control-max-age": "86400",
}


def answer(
    services: PhotoServices, request: ApiRequest, submission: Submission | None = None
) -> ApiResponse:
    """Answer a request. Defects raise; all else is an answer.

    A submission that has been received already takes the place of the request's body.
    """
    began = time.process_time()
    try:
        response = _answer(services, request, submission)
    except MasterRejected as error:
        response = problem_response(problem_of_rejection(error))
    except Exception as error:
        problem = problem_of(error)
        if problem is None:
            raise
        response = problem_response(problem)
    milliseconds = 1_000 * (time.process_time() - began)
    timing = {"server-timing": f"cpu;dur={milliseconds:.1f}"}
    headers = {**response.headers, **CORS, **timing}
    return ApiResponse(status=response.status, headers=headers, body=response.body)


def _answer(
    services: PhotoServices, request: ApiRequest, submission: Submission | None
) -> ApiResponse:
    if request.path != PATH:
        raise Problem("not-found")
    if request.method == "OPTIONS":
        return ApiResponse(status=204, headers=_PREFLIGHT)
    if request.method != "POST":
        raise Problem("method-not-allowed", headers={"allow": "POST, OPTIONS"})
    if submission is None:
        permit = partial(permit_body, services, request, len(request.body))
        submission = read_submission(request, request.body, permit)
    form = submission.form
    stored, clean = submission.flag("store"), submission.flag("clean")
    if stored and not form.store and "store" in submission.fields:
        raise Problem("form-forbids", "It does not allow `store`.")
    count_photograph(services, form)
    data = _data(services, form, submission)
    photograph = inspect_photograph(services, data, submission.media_type)
    plans = _plans(services, submission, photograph)
    try:
        fields = read_fields(photograph.file, photograph.header.format, gps=services.gps)
    except TooMuchMetadata as error:
        detail = f"It has {error.args[0]:,} bytes of them; at most {MAX_BYTES:,} are read."
        raise Problem("photo-metadata-too-large", detail) from None
    with services.slots.admit(photograph.cost):
        thumbnails = render_thumbnails(photograph.file, photograph.header, plans, clean=clean)
    check_answer(services, thumbnails, fields, request.headers)
    result = PhotographResult(
        photograph=photograph,
        fields=fields,
        thumbnails=thumbnails,
        clean=clean,
        stored=_find_upload(services, form)
        if form.upload
        else _store(services, photograph)
        if stored and form.store
        else None,
    )
    return respond(services, result, request.headers)


def _data(services: PhotoServices, form: Form, submission: Submission) -> PhotoData:
    """Return the bytes of the photograph, from the body or from where it was uploaded."""
    upload = submission.fields.get("upload", "")
    if upload != form.upload:
        raise Problem("form-forbids", "The form and the request name different uploads.")
    if not upload:
        size = len(submission.data)
    else:
        if submission.data or not submission.flag("store"):
            raise Problem("photo-body-invalid", "What was uploaded is a master already.")
        try:
            size = services.masters.head(upload).size
        except ObjectMissing:
            raise Problem("master-missing") from None
    most = min(form.most_bytes, services.most_bytes)
    if size > (form.most_bytes if upload else most):
        raise Problem("photo-too-large", f"It has {size:,} bytes; {most:,} are allowed.")
    if not size:
        raise Problem("photo-body-invalid", "There is no photograph in it.")
    return services.masters.get(upload)[0] if upload else submission.data


def _plans(
    services: PhotoServices, submission: Submission, photograph: Photograph
) -> list[ThumbnailPlan]:
    offered = services.thumbnails
    text = submission.fields.get("thumbnails")
    names = list(offered) if text is None else [name.strip() for name in text.split(",")]
    names = [name for name in dict.fromkeys(names) if name]
    unknown = [name for name in names if name not in offered]
    if unknown or len(names) > MAX_THUMBNAILS:
        raise Problem("query-invalid", f"The thumbnails are {', '.join(offered)}.")
    size = upright_size(photograph.header)
    try:
        return [plan_thumbnail(offered[name], *size) for name in names]
    except InvalidRequest as error:
        raise Problem("query-invalid", f"{error}.") from None


def _find_upload(services: PhotoServices, form: Form) -> StoredPhoto:
    """Return the master that an upload became by itself."""
    identifier = services.masters.head(form.upload).metadata[IDENTIFIER_METADATA]
    return StoredPhoto(key=form.upload, identifier=identifier, created=False)


def _store(services: PhotoServices, photograph: Photograph) -> StoredPhoto:
    """Make the photograph a master, unless it is one. Raises TransientError."""
    key = photo_key(photograph.checksum, photograph.extension)
    identifier = photo_identifier(photograph.checksum)
    try:
        services.masters.put(
            key,
            photograph.file.data,
            content_type=photograph.media_type,
            if_etag="",
            metadata={IDENTIFIER_METADATA: identifier},
        )
        created = True
    except PreconditionFailed:
        created = False
    return StoredPhoto(key=key, identifier=identifier, created=created)
