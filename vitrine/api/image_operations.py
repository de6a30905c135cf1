"""Images by their identifiers, and what redirects to them."""

from itertools import islice

from vitrine.api.ingest_operations import check_copied_size, ingest_of
from vitrine.api.object_operations import rename_object
from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.problems import Problem
from vitrine.api.relative import ingest_location
from vitrine.api.resources import (
    ImageRecord,
    Ingest,
    Published,
    RedirectList,
    RedirectRecord,
    RedirectsQuery,
    RenameImage,
    RenameObject,
    Restore,
    SetRedirect,
    WithdrawQuery,
)
from vitrine.identify.effective_rule import effective
from vitrine.identify.identifier import parse_identifier
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST
from vitrine.records import Gone, Live, Record, Redirect, Removed


def get_image(call: Call) -> OperationResult:
    """Return what an identifier answers as an image."""
    record = _current_record(call)
    if record is None or isinstance(record, Removed):
        raise Problem("no-image")
    return OperationResult(content=_image_record(call, record), revision=record.revision)


def withdraw_image(call: Call) -> OperationResult:
    """Take an image off the web; its master is not touched."""
    query: WithdrawQuery = call.query
    over = _required_revision(call, Live | Gone)
    change = call.services.curation.withdraw(call.name, query.reason.strip(), over=over)
    assert isinstance(change.after, Gone)
    return OperationResult(
        content=_image_record(call, change.after), revision=change.after.revision
    )


def restore_image(call: Call) -> OperationResult:
    """Bring a withdrawn image back from its master."""
    body: Restore = call.body
    identifier = parse_identifier(body.identifier)
    call.services.rights.check(identifier, call.services.register.table.get(identifier))
    image = call.services.register.journal.last_image(identifier)
    if image:
        call.services.rights.check_master(image.master_key)
        check_copied_size(call.services, image.master_key)
    copy = call.services.curation.restore(identifier)
    assert image, "what was restored, or is live, was an image"
    return _accepted_result(call, copy.key if copy else image.master_key)


def rename(call: Call) -> OperationResult:
    """Give an object, a collection or an image another identifier."""
    body: RenameObject | RenameImage = call.body
    if isinstance(body, RenameObject):
        return rename_object(call)
    old, new = parse_identifier(body.old), parse_identifier(body.new)
    table = call.services.register.table
    image = table.get(old)
    for name, record in ((old, image), (new, table.get(new))):
        call.services.rights.check(name, record)
    if isinstance(image, Live):
        call.services.rights.check_master(image.master_key)
        check_copied_size(call.services, image.master_key)
    copy = call.services.curation.rename(old, new, replace_withdrawn=body.replace_withdrawn)
    if copy:
        return _accepted_result(call, copy.key)
    done = table.get(new)
    if not isinstance(done, Live):  # it was until a moment ago
        raise Problem("no-image")
    return _accepted_result(call, done.master_key)


def list_redirects(call: Call) -> OperationResult:
    """List what redirects to an image."""
    query: RedirectsQuery = call.query
    target = parse_identifier(query.target)
    found = call.services.register.table.redirects_to(target)
    listed = tuple(_redirect_record(item) for item in islice(found, query.limit))
    return OperationResult(content=RedirectList(redirects=listed))


def get_redirect(call: Call) -> OperationResult:
    """Return a redirect."""
    return _redirect_answer(_current_record(call))


def put_redirect(call: Call) -> OperationResult:
    """Redirect a previous identifier to a present one."""
    body: SetRedirect = call.body
    over = _required_revision(call, Redirect)
    before = _current_record(call)
    added = call.services.redirects.add(
        call.name,
        body.target,
        note=body.note,
        replace_live=body.replace_live,
        replace_withdrawn=body.replace_withdrawn,
        allow_dangling=body.allow_dangling,
        over=over,
    )
    created = added.change.made and not isinstance(before, Redirect)
    return _redirect_answer(_current_record(call), 201 if created else 200)


def delete_redirect(call: Call) -> OperationResult:
    """Remove a redirect; a tombstone that it replaced comes back."""
    over = _required_revision(call, Redirect)
    change = call.services.redirects.remove(call.name, over=over)
    return _redirect_answer(change.replaced)


def _current_record(call: Call) -> Record | None:
    return call.services.register.table.get(call.name)


def _required_revision(call: Call, kind: object) -> int:
    """Return the revision to replace; what is not of `kind` counts as absent."""
    record = _current_record(call)
    exists = isinstance(record, kind)  # type: ignore[arg-type]
    return call.over(record, exists=exists)


def _accepted_result(call: Call, master_key: str) -> OperationResult:
    content = ingest_of(call.services, master_key)
    return OperationResult(content=content, status=202, location=ingest_location(master_key))


def _redirect_answer(record: Record | None, status: int = 200) -> OperationResult:
    if not isinstance(record, Redirect):
        raise Problem("no-redirect")
    return OperationResult(
        content=_redirect_record(record), status=status, revision=record.revision
    )


def _redirect_record(record: Redirect) -> RedirectRecord:
    return RedirectRecord(
        identifier=record.identifier,
        target=record.target,
        note=record.note,
        revision=record.revision,
        changed_at=record.changed_at,
    )


def _image_record(call: Call, record: Live | Redirect | Gone) -> ImageRecord:
    match record:
        case Live():
            return ImageRecord(
                identifier=record.identifier,
                state="live",
                revision=record.revision,
                changed_at=record.changed_at,
                info=call.services.edge_url + image_path(NEWEST, record.identifier) + "/info.json",
                width=record.width,
                height=record.height,
                master_key=record.master_key,
                access=effective(record, call.services.publisher.rules()) or "open",
            )
        case Redirect():
            return ImageRecord(
                identifier=record.identifier,
                state="redirect",
                revision=record.revision,
                changed_at=record.changed_at,
                target=record.target,
            )
        case Gone():
            return ImageRecord(
                identifier=record.identifier,
                state="gone",
                revision=record.revision,
                changed_at=record.changed_at,
                reason=record.reason,
            )


OPERATIONS = (
    Operation(
        name="getImage",
        method="GET",
        path="/images/{identifier}",
        summary="Read what an identifier answers as an image.",
        act=get_image,
        answers={200: ImageRecord},
        problems=("no-image",),
    ),
    Operation(
        name="withdrawImage",
        method="DELETE",
        path="/images/{identifier}",
        summary="Take an image off the web until it is restored; its master is not touched.",
        act=withdraw_image,
        query=WithdrawQuery,
        answers={200: ImageRecord},
        problems=("no-image",),
        conditional=True,
    ),
    Operation(
        name="restoreImage",
        method="POST",
        path="/restorations",
        summary="Bring a withdrawn image back from its master, which is ingested again.",
        act=restore_image,
        body=Restore,
        example={"identifier": "SK-C-5"},
        answers={202: Ingest},
        problems=(
            *("no-image", "another-image", "renamed"),
            *("master-missing", "master-replaced", "master-too-large"),
        ),
    ),
    Operation(
        name="rename",
        method="POST",
        path="/renames",
        summary="Give an object, a collection or an image another identifier; the old one redirects"
        " there.",
        act=rename,
        body=RenameObject | RenameImage,
        example={"type": "object", "old": "letter-1", "new": "letter-1642"},
        answers={200: Published, 202: Ingest},
        problems=(
            *("no-object", "object-renamed", "object-withdrawn", "identifier-taken", "self"),
            *("no-image", "withdrawn-image"),
            *("master-missing", "master-replaced", "master-too-large"),
        ),
    ),
    Operation(
        name="listRedirects",
        method="GET",
        path="/redirects",
        summary="List what redirects to one image.",
        act=list_redirects,
        query=RedirectsQuery,
        answers={200: RedirectList},
    ),
    Operation(
        name="getRedirect",
        method="GET",
        path="/redirects/{identifier}",
        summary="Read a redirect between images.",
        act=get_redirect,
        answers={200: RedirectRecord},
        problems=("no-redirect",),
    ),
    Operation(
        name="putRedirect",
        method="PUT",
        path="/redirects/{identifier}",
        summary="Redirect the addresses of a previous identifier to an image.",
        act=put_redirect,
        body=SetRedirect,
        example={"target": "SK-C-5", "note": "inventory of 1885"},
        answers={200: RedirectRecord, 201: RedirectRecord},
        problems=("self", "loop", "dangling", "live-image", "withdrawn-image"),
        conditional=True,
    ),
    Operation(
        name="deleteRedirect",
        method="DELETE",
        path="/redirects/{identifier}",
        summary="Remove a redirect; the tombstone that it replaced comes back, if there was one.",
        act=delete_redirect,
        answers={200: RedirectRecord},
        problems=("no-redirect",),
        conditional=True,
    ),
)
