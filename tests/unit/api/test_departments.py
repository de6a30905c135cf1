"""Two departments call the API: each changes what its collections have, and nothing of the other's.

The requests are events of the gateway, and the Lambda's own handler answers them.
"""

import importlib
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import pyvips

from tests.unit.api.api_bench import ApiBench, letter
from vitrine.adapters.aws.http_api import request_of
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.api.application import OPERATIONS
from vitrine.api.authorization import CallerRights, rights_of
from vitrine.catalogue.records import Described
from vitrine.identify.owners import owner_of_master, take_over
from vitrine.records import Live, Redirect
from vitrine.settings.departments import Department, decode_departments, encode_departments
from vitrine.store.layout import REQUESTS

ROLE = "arn:aws:iam::123456789012:role/museum/{}"
SESSION = "arn:aws:sts::123456789012:assumed-role/{}/someone"
DEPARTMENTS = {
    "works-on-paper": Department(
        collections=("prints", "posters"), members=(ROLE.format("prints"), "vitrine/prints")
    ),
    "map-room": Department(collections=("maps",), members=(ROLE.format("maps"), "vitrine/maps")),
    "registrars": Department(collections=("*",), members=(ROLE.format("registrar"),)),
}
PNG: bytes = pyvips.Image.black(40, 30).pngsave_buffer()
_IMAGES = ("live", "gone", "spare", "old")
LATEST = {"if-match": "*"}
NEW = {"if-none-match": "*"}


class Museum:
    """The API of two departments that have published their collections."""

    def __init__(self, handler: Callable[[Any, Any], Any], bench: ApiBench) -> None:
        self.handler, self.bench = handler, bench
        self._keys = itertools.count(1)
        for collection in ("prints", "maps"):
            self.publish(collection)

    def ask(
        self, caller: str, method: str, path: str, body: Any = None, query: str = "", **headers: str
    ) -> tuple[int, Any]:
        """Answer a caller, who is known by a role's session or by a token's scopes."""
        token = {"iss": "https://login.example.org", "sub": "7", "scope": f"vitrine/write {caller}"}
        by_role = {"iam": {"userArn": SESSION.format(caller)}}
        event = {
            "rawPath": path,
            "rawQueryString": query,
            "headers": {
                "content-type": "application/json",
                **({"idempotency-key": f"key-{next(self._keys)}"} if method == "POST" else {}),
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
            "requestContext": {
                "http": {"method": method},
                "authorizer": {"jwt": {"claims": token}} if "/" in caller else by_role,
            },
            "body": "" if body is None else json.dumps(body),
        }
        context = SimpleNamespace(
            function_name="api", memory_limit_in_mb=1, invoked_function_arn="", aws_request_id=""
        )
        answer = self.handler(event, context)
        return answer["statusCode"], json.loads(answer["body"])

    def publish(self, name: str) -> None:
        """Publish a collection with an object, a redirect, and images of which one is withdrawn."""
        for image in ("live", "gone", "spare"):
            self.upload(name, f"{name}/{image}.png", f"{name}-{image}")
        record = letter(f"{name}-object", "An object", f"{name}-live")
        listed = {"type": "collection", "identifier": name, "label": {"en": [name]}}
        for method, path, body, query, headers in (
            ("PUT", f"/objects/{name}-object", record, "", NEW),
            ("PUT", f"/collections/{name}", listed, "", NEW),
            ("PUT", f"/redirects/{name}-old", {"target": f"{name}-live"}, "", NEW),
            ("DELETE", f"/images/{name}-gone", None, "reason=A%20claim.", LATEST),
        ):
            status, answer = self.ask(name, method, path, body, query, **headers)
            assert status < 300, answer

    def upload(self, caller: str, key: str, identifier: str) -> None:
        """Send a master to the address that the API gives."""
        body = {"key": key, "identifier": identifier, "upload": {"bytes": len(PNG)}}
        status, started = self.ask(caller, "POST", "/ingests", body)
        assert status == 201, started
        self.bench.uploads.send(started["upload"]["address"], PNG)

    def state(self) -> Any:
        """Return all that is stored, but for the answers that are kept."""
        stores: tuple[MemoryObjectStore, ...] = (
            *(self.bench.masters, self.bench.site, self.bench.records),
        )
        kept = {
            (number, one.key, one.version)
            for number, store in enumerate(stores)
            for one in store.list_keys().entries
            if not one.key.startswith(REQUESTS)
        }
        images = self.bench.ingest.identifiers
        return kept, {f"prints-{name}": images.get(f"prints-{name}") for name in _IMAGES}


@pytest.fixture
def museum(monkeypatch: pytest.MonkeyPatch) -> Museum:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Vitrine/test")
    module = importlib.import_module("lambdas.answer_request.handler")
    bench = ApiBench()
    departments = decode_departments(encode_departments(DEPARTMENTS))
    services = replace(bench.services, departments=departments, most_photo_bytes=1)
    monkeypatch.setattr(module, "api_services", lambda: services)
    return Museum(module.handler, bench)


def _object(name: str) -> Any:
    return letter(f"{name}-object", "Another title", f"{name}-live")


def _listed(name: str) -> Any:
    return {"type": "collection", "identifier": name, "label": {"en": ["Another title"]}}


REQUESTED: dict[str, Callable[[str], tuple[str, str, Any, str, dict[str, str]]]] = {
    "putObject": lambda n: ("PUT", f"/objects/{n}-object", _object(n), "", LATEST),
    "deleteObject": lambda n: ("DELETE", f"/objects/{n}-object", None, "reason=No.", LATEST),
    "putCollection": lambda n: ("PUT", f"/collections/{n}", _listed(n), "", LATEST),
    "deleteCollection": lambda n: ("DELETE", f"/collections/{n}", None, "reason=No.", LATEST),
    "startPublication": lambda n: (
        *("POST", "/publications", {"identifier": f"{n}-object"}),
        *("", {}),
    ),
    "withdrawImage": lambda n: ("DELETE", f"/images/{n}-live", None, "reason=No.", LATEST),
    "restoreImage": lambda n: ("POST", "/restorations", {"identifier": f"{n}-gone"}, "", {}),
    "rename": lambda n: (
        *("POST", "/renames", {"type": "object", "old": f"{n}-object", "new": "free"}),
        *("", {}),
    ),
    "rename image": lambda n: (
        *("POST", "/renames", {"type": "image", "old": f"{n}-live", "new": "free"}),
        *("", {}),
    ),
    "putRedirect": lambda n: (
        *("PUT", f"/redirects/{n}-old", {"target": f"{n}-spare"}),
        *("", LATEST),
    ),
    "deleteRedirect": lambda n: ("DELETE", f"/redirects/{n}-old", None, "", LATEST),
    "putAccess": lambda n: ("PUT", f"/access/{n}-live", {"access": "closed"}, "", LATEST),
    "deleteLinks": lambda n: ("DELETE", f"/links/{n}-live", None, "", LATEST),
    "startIngest": lambda n: (
        *("POST", "/ingests", {"key": f"{n}/live.png", "upload": {"bytes": 1}}),
        *("", {}),
    ),
    "startIngest again": lambda n: (
        *("POST", "/ingests", {"key": f"{n}/live.png", "identifier": f"{n}-live"}),
        *("", {}),
    ),
}
"""Request of each operation for things of a collection."""


def test_no_operation_is_left_out() -> None:
    of_all, of_lists = {"signPhotoForm"}, {"setRedirects"}
    changing = {operation.name for operation in OPERATIONS if operation.changes}
    assert {name.partition(" ")[0] for name in REQUESTED} | of_all | of_lists == changing


@pytest.mark.parametrize(
    ("caller", "refused"),
    [
        ("maps", [True, False, True]),
        ("stranger", [True, True, True]),
        ("prints", [False, True, False]),
        ("registrar", [False, False, False]),
    ],
)
def test_each_redirect_of_a_list_is_refused_to_those_whose_it_is_not(
    museum: Museum, caller: str, refused: list[bool]
) -> None:
    listed = [
        {"identifier": "prints-old", "target": "prints-spare"},
        {"identifier": "maps-old", "target": "prints-live"},
        {"identifier": "new", "target": "prints-live", "owner": "posters"},
    ]
    body = {"redirects": listed, "replace_owned": True}
    status, answer = museum.ask(caller, "POST", "/redirects", body)
    assert status == 200
    results = answer["redirects"]
    codes = [one.get("problem", {}).get("type") for one in results]
    assert [code == "/problems/collection-forbidden" for code in codes] == refused, results
    table = museum.bench.ingest.identifiers
    for one, is_refused in zip(listed, refused, strict=True):
        record = table.get(one["identifier"])
        led = isinstance(record, Redirect) and record.target == one["target"]
        assert led is not is_refused, one


@pytest.mark.slow
@pytest.mark.parametrize("operation", REQUESTED)
@pytest.mark.parametrize("caller", ["maps", "vitrine/maps", "stranger"])
def test_nobody_else_changes_what_a_collection_has(
    museum: Museum, operation: str, caller: str
) -> None:
    method, path, body, query, headers = REQUESTED[operation]("prints")
    before = museum.state()
    status, problem = museum.ask(caller, method, path, body, query, **headers)
    assert (status, problem["type"]) == (403, "/problems/collection-forbidden")
    assert '"prints' in problem["detail"]
    assert ("no department" if caller == "stranger" else '"maps') in problem["detail"]
    assert museum.state() == before


@pytest.mark.slow
@pytest.mark.parametrize("operation", REQUESTED)
@pytest.mark.parametrize("caller", ["prints", "vitrine/prints", "registrar"])
def test_its_own_people_and_those_who_may_all_change_it(
    museum: Museum, operation: str, caller: str
) -> None:
    method, path, body, query, headers = REQUESTED[operation]("prints")
    status, answer = museum.ask(caller, method, path, body, query, **headers)
    assert status < 300, answer


def test_what_a_department_publishes_belongs_to_its_collections(museum: Museum) -> None:
    listed = {"type": "collection", "identifier": "posters", "label": {"en": ["Posters"]}}
    assert museum.ask("prints", "PUT", "/collections/posters", listed, **NEW)[0] == 201
    waiting = museum.ask("prints", "PUT", "/access/prints-later", {"access": "closed"}, **NEW)
    assert waiting[0] == 200
    journal = museum.bench.services.publisher.journal
    described = {name: journal.latest(name) for name in ("prints", "posters", "prints-object")}
    assert {name: record and record.owner for name, record in described.items()} == {
        "prints": "prints",
        "posters": "posters",
        "prints-object": "prints",
    }
    table = museum.bench.ingest.identifiers
    images = [table.get(f"prints-{part}") for part in (*_IMAGES, "later")]
    assert [record and record.owner for record in images] == ["prints"] * 5
    assert owner_of_master(museum.bench.records, "prints/live.png") == "prints"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "body", "sentence"),
    [
        # The collection of the other department, before it exists, and a name like its own.
        ("PUT", "/collections/posters", "posters", 'belongs to the collection "posters"'),
        ("PUT", "/objects/posters", "posters", 'belongs to the collection "posters"'),
        ("POST", "/renames", {"old": "maps-object", "new": "posters"}, '"posters"'),
        # A master of its own that takes the other's name, and one in nobody's folder.
        ("POST", "/ingests", {"key": "maps/x.png", "identifier": "prints-live"}, '"prints"'),
        ("POST", "/ingests", {"key": "x.png", "upload": {"bytes": 1}}, '"maps/"'),
        *(
            ("POST", "/ingests", {"key": "prints/x.png", "upload": {"bytes": 1} | parts}, '"maps/"')
            for parts in ({"in_parts": True}, {"parts": "0"})
        ),
        ("POST", "/ingests", {"key": "mapsx/x.png", "upload": {"bytes": 1}}, '"maps/"'),
        ("POST", "/photo-forms", {}, "Photographs belong to no collection"),
        # What a registrar published belongs to no collection.
        ("PUT", "/objects/old-stock", "old-stock", "belongs to no collection"),
        ("DELETE", "/images/stray", None, "belongs to no collection"),
    ],
)
def test_a_department_gets_nothing_that_is_not_its_own(
    museum: Museum, method: str, path: str, body: Any, sentence: str
) -> None:
    museum.upload("registrar", "stray.png", "stray")
    stock = letter("old-stock", "Stock", "stray")
    assert museum.ask("registrar", "PUT", "/objects/old-stock", stock, **NEW)[0] == 201
    if isinstance(body, str):
        kind = "collection" if "collections" in path else "object"
        body = {"type": kind, "identifier": body, "label": {"en": ["Mine"]}} | (
            {} if kind == "collection" else {"canvases": [{"image": "maps-live"}]}
        )
    elif path == "/renames":
        body = {"type": "object", **body}
    query = "reason=No." if method == "DELETE" else ""
    condition = NEW if "posters" in path else LATEST if method != "POST" else {}
    before = museum.state()
    status, problem = museum.ask("maps", method, path, body, query, **condition)
    assert (status, problem["type"]) == (403, "/problems/collection-forbidden"), problem
    assert sentence in problem["detail"]
    assert museum.state() == before


@pytest.mark.parametrize("operation", ["withdrawImage", "putAccess", "putObject", "rename"])
def test_a_take_over_between_the_look_and_the_write_ends_the_change(
    museum: Museum, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    services, check = museum.bench.services, CallerRights.check

    def check_too_early(rights: CallerRights, identifier: str, record: Any) -> None:
        check(rights, identifier, record)
        if isinstance(record, Live) and record.owner == "prints":
            services.register.change(identifier, take_over("maps"))
        if isinstance(record, Described) and record.owner == "prints":
            taken = msgspec.structs.replace(record, owner="maps")
            services.objects.change(identifier, lambda _: taken)

    monkeypatch.setattr(CallerRights, "check", check_too_early)
    method, path, body, query, headers = REQUESTED[operation]("prints")
    status, problem = museum.ask("prints", method, path, body, query, **headers)
    # Nothing was changed, or a second look at the record refuses it.
    assert (status, problem["type"]) in (
        (412, "/problems/revision-changed"),
        (403, "/problems/collection-forbidden"),
    )
    image = museum.bench.ingest.identifiers.get("prints-live")
    item = services.publisher.journal.latest("prints-object")
    assert isinstance(image, Live)
    assert image.access == ""
    assert isinstance(item, Described)
    assert item.item.label == {"en": ("An object",)}
    assert "maps" in (image.owner, item.owner)


def test_a_redirect_that_another_department_follows_leads_on(museum: Museum) -> None:
    """A redirect to another's name shows what that name shows."""
    body = {"target": "prints-live"}
    assert museum.ask("maps", "PUT", "/redirects/maps-copy", body, **NEW)[0] == 201
    rename = {"type": "image", "old": "prints-live", "new": "prints-new"}
    assert museum.ask("prints", "POST", "/renames", rename)[0] == 202
    record = museum.bench.ingest.identifiers.get("maps-copy")
    assert isinstance(record, Redirect)
    assert (record.target, record.owner) == ("prints-new", "maps")


def test_everybody_reads_everything(museum: Museum) -> None:
    for path in ("/objects/prints-object", "/images/prints-live", "/ingests/prints/live.png"):
        assert museum.ask("stranger", "GET", path)[0] == 200


@pytest.mark.parametrize(
    ("claims", "allowed"),
    [
        ({"scope": "vitrine/write vitrine/prints"}, True),
        ({"scp": "[vitrine/write vitrine/prints]"}, True),
        ({"scope": "vitrine/write", "groups": "vitrine/prints"}, False),
        ({"scope": "vitrine/write not-vitrine/prints"}, False),
    ],
)
def test_a_department_is_known_by_a_scope_of_the_token(
    claims: dict[str, str], allowed: bool
) -> None:
    event = {
        "rawPath": "/",
        "requestContext": {
            "http": {"method": "PUT"},
            "authorizer": {"jwt": {"claims": {"iss": "https://a", "sub": "7", **claims}}},
        },
    }
    request = request_of(event)
    rights = rights_of(DEPARTMENTS, request.caller, request.scopes)
    assert rights.collections == (("prints", "posters") if allowed else ())
