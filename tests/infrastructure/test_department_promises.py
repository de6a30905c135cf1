"""The people of a department write the masters of its collections, and no record of anything."""

import itertools
import json
import re
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from stacks.designs import DEV
from stacks.own_environments import own_environment
from tests.infrastructure.own_values import OPERATED
from vitrine.settings.departments import Department, decode_departments
from vitrine.settings.environments_file import FILE, EnvironmentsFile
from vitrine.store.layout import owned_key, owned_text, owner_key, remarks_key, text_key

READING = ("Get", "List", "Describe", "BatchGet", "Query", "Scan")
WRITING = ("s3:PutObject", "s3:PutObjectTagging", "s3:DeleteObject", "s3:AbortMultipartUpload")
KEYS = {
    collection: owned_key(collection, "scans/001.tif") for collection in ("prints", "a/b", "maps")
}
NOBODYS = (
    "001.tif",
    "prints.tif",
    "printsx/001.tif",
    "photos/001.jpg",
    "a/b/001.tif",
    "%70rints/x",
)


def _text(value):
    """Return an ARN of a template, with the names of what it refers to."""
    if isinstance(value, str):
        return value
    if "Fn::Join" in value:
        return "".join(map(_text, value["Fn::Join"][1]))
    return re.sub("[^A-Za-z]", "", json.dumps(value))


@pytest.fixture(scope="module")
def allows(operated):
    """A function that says whether the policy of a department allows an action."""
    policies = {
        resource.id: resource.properties["PolicyDocument"]["Statement"]
        for resource in operated.of("AWS::IAM::ManagedPolicy")
    }

    def allowed(title, action, resource):
        (found,) = [one for name, one in policies.items() if name.startswith(f"Department{title}")]
        for statement in found:
            assert statement["Effect"] == "Allow"
            actions, patterns = statement["Action"], statement["Resource"]
            actions = [actions] if isinstance(actions, str) else actions
            patterns = patterns if isinstance(patterns, list) else [patterns]
            if action in actions and any(fnmatchcase(resource, _text(one)) for one in patterns):
                return True
        return False

    return allowed


@pytest.fixture(scope="module")
def buckets(operated):
    """ARNs as the policies have them, by the first letters of their names."""
    text = json.dumps([one.body for one in operated.of("AWS::IAM::ManagedPolicy")])
    found = set(re.findall(r'"Fn::ImportValue": "[^"]*"', text))
    return {
        name: re.sub("[^A-Za-z]", "", next(one for one in found if f"GetAtt{name}" in one))
        for name in ("Masters", "Records", "Site", "Identifiers", "Outcomes")
    }


@pytest.mark.parametrize(
    ("title", "own", "others"),
    [("WorksOnPaper", ("prints", "a/b"), ("maps",)), ("MapRoom", ("maps",), ("prints", "a/b"))],
)
def test_a_department_writes_masters_below_its_collections_only(
    allows, buckets, title, own, others
):
    masters, records = buckets["Masters"], buckets["Records"]
    for action in (*WRITING, "s3:GetObject", "s3:GetObjectVersion"):
        for collection in own:
            assert allows(title, action, f"{masters}/{KEYS[collection]}")
        for key in (*(KEYS[one] for one in others), *NOBODYS):
            assert not allows(title, action, f"{masters}/{key}"), key
    for collection in KEYS:
        name = owned_text(collection, "f" * 32)
        for key in (owner_key(collection), text_key(name), remarks_key(name)):
            assert allows(title, "s3:PutObject", f"{records}/{key}") == (collection in own), key


@pytest.mark.parametrize("title", ["WorksOnPaper", "MapRoom"])
def test_a_department_writes_no_record_but_by_the_api(operated, allows, buckets, title):
    for root, action in itertools.product(
        ("identifiers/", "objects/", "harvests/", "texts/", "texts/oc/ocr", "access/"),
        WRITING,
    ):
        assert not allows(title, action, f"{buckets['Records']}/{root}prints"), root
        assert not allows(title, action, f"{buckets['Site']}/{root}prints"), root
    (policy,) = [
        one
        for one in operated.of("AWS::IAM::ManagedPolicy")
        if one.id.startswith(f"Department{title}")
    ]
    others = set()
    for statement in policy.properties["PolicyDocument"]["Statement"]:
        actions = statement["Action"]
        for action in [actions] if isinstance(actions, str) else actions:
            assert "*" not in action
            if not action.partition(":")[2].startswith(READING):
                others.add(action)
    assert others == {*WRITING, "execute-api:Invoke"}


def test_a_department_may_call_the_api_of_its_environment(operated):
    (statement,) = [
        one
        for policy in operated.of("AWS::IAM::ManagedPolicy")
        if policy.id.startswith("DepartmentMapRoom")
        for one in policy.properties["PolicyDocument"]["Statement"]
        if one["Action"] == "execute-api:Invoke"
    ]
    assert "DoorApi" in json.dumps(statement["Resource"])


def test_a_department_with_all_collections_writes_all_masters_and_no_record(allows, buckets):
    title = "Registrars"
    for action in (*WRITING, "s3:GetObject", "s3:GetObjectVersion"):
        for key in (*KEYS.values(), *NOBODYS):
            assert allows(title, action, f"{buckets['Masters']}/{key}"), key
    for root in ("identifiers/", "objects/", "access/", "collections/"):
        for action in WRITING:
            assert not allows(title, action, f"{buckets['Records']}/{root}prints"), root
            assert not allows(title, action, f"{buckets['Site']}/{root}prints"), root
    for collection in KEYS:
        name = owned_text(collection, "f" * 32)
        for key in (owner_key(collection), text_key(name), remarks_key(name)):
            assert allows(title, "s3:PutObject", f"{buckets['Records']}/{key}"), key
    for root in ("harvests/", "migrations/"):
        assert allows(title, "s3:PutObject", f"{buckets['Records']}/{root}prints"), root
    for table in ("Identifiers", "Outcomes"):
        for action in ("PutItem", "UpdateItem", "BatchWriteItem", "DeleteItem"):
            assert not allows(title, f"dynamodb:{action}", buckets[table]), action


def test_departments_with_an_api_have_policies_and_nobody_else(operated):
    """So no policy writes a record, a table or an event: the API alone does."""
    names = {one.id.rstrip("0123456789ABCDEF") for one in operated.of("AWS::IAM::ManagedPolicy")}
    departments = ("WorksOnPaper", "MapRoom", "Registrars")
    assert names == {f"Department{one}" for one in departments}
    actions = {
        action
        for policy in operated.of("AWS::IAM::ManagedPolicy")
        for statement in policy.properties["PolicyDocument"]["Statement"]
        for action in _listed(statement["Action"])
    }
    assert {one for one in actions if one.startswith(("dynamodb:", "events:"))} == {
        f"dynamodb:{action}" for action in ("GetItem", "BatchGetItem", "Scan", "Query")
    }


def test_curators_write_records_where_commands_have_no_api(synthesize):
    paper = {"paper": Department(collections=("prints",))}
    for values in ({"departments": paper, "api": None}, {"departments": {}}):
        policies = synthesize(replace(DEV, **values)).of("AWS::IAM::ManagedPolicy")
        assert any(one.id.startswith("Curators") for one in policies), values


def _listed(value):
    return [value] if isinstance(value, str) else value


@pytest.mark.parametrize(
    "names", [tuple(f"c{number:02}" for number in range(8)), ("é" * 100, "è" * 100, "a")]
)
def test_a_policy_has_room_for_all_collections_that_a_department_may_have(synthesize, names):
    with pytest.raises(ValueError, match="no room"):
        replace(DEV, departments={"paper": Department(collections=(*names, "one", "two"))})
    templates = synthesize(replace(DEV, departments={"paper": Department(collections=names)}))
    (policy,) = [
        one for one in templates.of("AWS::IAM::ManagedPolicy") if one.id.startswith("Department")
    ]
    document = json.dumps(
        policy.properties["PolicyDocument"], separators=(",", ":"), ensure_ascii=False
    )
    bucket = "arn:aws:s3:::vitrine-staging-store-" + "x" * 41
    filled = re.sub(r'[{]"Fn::(ImportValue|GetAtt)":[^}]*[}]', f'"{bucket}"', document)
    filled = re.sub(r'[{]"Fn::GetStackOutput":[{][^}]*[}][}]', '"a123456789"', filled)
    filled = re.sub(r'[{]"Ref":[^}]*[}]', '"000000000000"', filled)
    parts = r'[{]"Fn::Join":\["",\[((?:[^\[\]])*)\]\][}]'
    filled = re.sub(parts, lambda found: found[1].replace('","', ""), filled)
    assert "Fn::" not in filled
    assert 5_000 < len(filled) < 6_144


def test_the_api_knows_the_departments_and_notes_their_collections(operated):
    (function,) = [
        one
        for one in operated.of("AWS::Lambda::Function")
        if "VITRINE_DEPARTMENTS" in one.properties.get("Environment", {}).get("Variables", {})
    ]
    assert function.id.startswith("AnswerRequest")
    said = function.properties["Environment"]["Variables"]["VITRINE_DEPARTMENTS"]
    assert decode_departments(said) == OPERATED["departments"]
    written = json.dumps(
        [
            one.resources
            for one in operated.allowed("AnswerRequestRole")
            if "s3:PutObject" in one.actions
        ]
    )
    assert "/owners/*" in written


def test_environments_toml_names_departments(tmp_path):
    path = tmp_path / FILE
    path.write_text(
        '[dev]\nregion = "eu-west-1"\n'
        '[dev.departments.map-room]\ncollections = ["maps"]\n'
        'members = ["arn:aws:iam::123456789012:role/maps"]\n'
    )
    assert own_environment("dev", EnvironmentsFile.read(path)).departments == {
        "map-room": Department(
            collections=("maps",), members=("arn:aws:iam::123456789012:role/maps",)
        )
    }


@pytest.mark.parametrize(
    ("departments", "sentence"),
    [
        ({"Maps": Department(collections=("maps",))}, "lower-case letters"),
        ({"maps": Department(collections=())}, "must have a collection"),
        ({"maps": Department(collections=("*", "maps"))}, "needs no other"),
        ({"maps": Department(collections=("a*",))}, "cannot name the masters"),
        ({"maps": Department(collections=("${aws:username}",))}, "cannot name the masters"),
        ({"maps": Department(collections=("地図",))}, "cannot name the masters"),
        ({"maps": Department(collections=(" maps",))}, "no identifier"),
        ({"maps": Department(collections=("cafe\u0301",))}, "no identifier"),
        ({"maps": Department(collections=("maps",), members=("maps",))}, "not the ARN"),
        (
            {"maps": Department(collections=("m",)), "map-room": Department(collections=("m",))},
            "both have",
        ),
        (
            {
                "maps": Department(
                    collections=("maps",),
                    members=tuple(f"arn:aws:iam::123456789012:user/u{n}" for n in range(60)),
                )
            },
            "one role",
        ),
    ],
)
def test_departments_that_cannot_be_kept_apart_are_rejected(departments, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(DEV, departments=departments)
