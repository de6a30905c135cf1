"""A master's way through the whole service: uploaded, deleted, restored; and with events lost."""

import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from rigs.free_port import free_ports
from tests.integration.local.machines import Machine, draw
from tests.patience import until
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.bootstrap.deployment import Deployment, deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.records import Gone, Redirect

KEY = "picture.tif"
PATH = "/iiif/3/picture"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A service with one picture."""
    folder = tmp_path_factory.mktemp("masters")
    draw(folder / KEY, 1)
    made = Machine(tmp_path_factory.mktemp("machine"), free_ports(3))
    try:
        done = made.up("--masters", folder)
        assert done.returncode == 0, done.stdout + done.stderr
        yield made
    finally:
        made.run("down")


@pytest.fixture
def service(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Deployment:
    """Its tables and buckets."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(machine.directory))
    return deployment()


def status(machine: Machine) -> int:
    """What the origin answers; the edge may remember for longer."""
    url = f"{machine.service.origin_url}/iiif/3/picture/info.json"
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def delete(service: Deployment) -> None:
    store = service.masters
    assert isinstance(store, S3ObjectStore)
    store._client.delete_object(Bucket=store._bucket, Key=KEY)


def restore(service: Deployment) -> None:
    """Delete the delete marker."""
    store = service.masters
    assert isinstance(store, S3ObjectStore)
    [marker] = [entry for entry in store.list_keys().entries if entry.deleted]
    store._client.delete_object(Bucket=store._bucket, Key=KEY, VersionId=marker.version)


def gallery(service: Deployment) -> bytes:
    return service.site.get("gallery.json")[0]


def state(service: Deployment) -> str:
    outcome = service.outcomes.get(KEY)
    return outcome.state if outcome else ""


def test_a_deleted_master_is_gone_and_an_upload_brings_it_back(
    machine: Machine, service: Deployment, tmp_path: Path
) -> None:
    assert status(machine) == 200
    delete(service)
    until(lambda: status(machine) == 410)
    until(lambda: state(service) == "withdrawn")
    until(lambda: b'"picture"' not in gallery(service))
    draw(tmp_path / KEY, 2)
    assert machine.run("ingest", tmp_path / KEY).returncode == 0
    until(lambda: status(machine) == 200)
    until(lambda: b'"picture"' in gallery(service))


def test_a_restored_master_brings_its_image_back(machine: Machine, service: Deployment) -> None:
    delete(service)
    until(lambda: state(service) == "withdrawn")
    restore(service)
    until(lambda: state(service) == "published")
    until(lambda: status(machine) == 200)


def test_a_wiped_table_of_identifiers_is_rebuilt_equal(
    machine: Machine, service: Deployment
) -> None:
    """A live image that was a tombstone twice, a redirect and a tombstone: all of the table."""
    register = Register(service.identifiers, Journal(service.records), MemoryEventBus())
    moment = "2026-11-21T00:00:00.000Z"
    for record in (
        Redirect(identifier="old name", target="picture", changed_at=moment),
        Gone(identifier="§ 7/8", reason="Sold.", changed_at=moment),
    ):
        register.change(record.identifier, partial(lambda new, current: new, record))
    names = ("picture", "old name", "§ 7/8")
    before = {name: service.identifiers.get(name) for name in names}
    assert before["picture"]
    assert before["picture"].revision > 2
    table = service.identifiers
    assert isinstance(table, DynamoIdentifierTable)
    for name in names:
        table._client.delete_item(TableName=table._table, Key={"identifier": {"S": name}})
    assert table.get_many(names) == {}
    done = machine.run("identifiers", "rebuild", "--json")
    assert (done.returncode, json.loads(done.stdout)["written"]) == (0, 3), done.stderr
    assert {name: table.get(name) for name in names} == before


def test_a_renamed_image_answers_under_both_its_names(
    machine: Machine, service: Deployment
) -> None:
    """And under the one that redirected to it before; then it is renamed back."""
    for old, new in (("picture", "neu/ä 1"), ("neu/ä 1", "picture")):
        done = machine.run("image", "rename", old, new, "--json")
        assert (done.returncode, json.loads(done.stdout)["state"]) == (0, "renamed"), done.stderr
        # What pointed at the previous identifier follows after the image is live.
        until(lambda new=new: points_at(service, "old name", new))  # type: ignore[misc]
        url = f"{machine.service.origin_url}/iiif/3/old%20name/info.json"
        path = f"/iiif/3/{quote(new, safe='')}"
        until(lambda url=url, path=path: answered_as(url, path))  # type: ignore[misc]
    assert machine.run("redirects", "check").returncode == 0


def test_a_withdrawn_name_is_given_away_only_when_that_is_said(
    machine: Machine, service: Deployment
) -> None:
    """And the journal knows: there is nothing to bring back afterwards."""
    register = Register(service.identifiers, Journal(service.records), MemoryEventBus())
    tombstone = Gone(identifier="lost", reason="Sold.", changed_at="2026-11-21T00:00:00.000Z")
    register.change("lost", lambda current: tombstone)
    for verb in (("redirects", "add", "lost", "picture"), ("image", "rename", "picture", "lost")):
        refused = machine.run(*verb)
        assert (refused.returncode, "--replace-withdrawn" in refused.stderr) == (1, True), verb
    assert isinstance(service.identifiers.get("lost"), Gone)
    assert machine.run("image", "rename", "picture", "lost", "--replace-withdrawn").returncode == 0
    assert machine.run("image", "rename", "lost", "picture").returncode == 0
    until(lambda: answered_as(f"{machine.service.origin_url}/iiif/3/lost/info.json", PATH))
    assert json.loads(machine.run("identifiers", "rebuild", "--json").stdout)["written"] == 0


def points_at(service: Deployment, old: str, new: str) -> bool:
    """Return whether an identifier is a redirect to another one."""
    record = service.identifiers.get(old)
    assert isinstance(record, Redirect)
    return record.target == new


def answered_as(url: str, path: str) -> bool:
    """Return whether redirects lead to the image information of this path."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        return bool(urlsplit(json.load(answer)["id"]).path == path)


def test_the_walk_of_the_clock_comes_to_its_end(machine: Machine, service: Deployment) -> None:
    running = machine.service
    access = AwsAccess(running.emulator_url, running.region, dummy_credentials=True)
    states = access.client("stepfunctions")
    machines = [item["stateMachineArn"] for item in states.list_state_machines()["stateMachines"]]
    [reconciler] = [arn for arn in machines if "Reconcile" in arn]
    started = states.start_execution(stateMachineArn=reconciler, input="{}")["executionArn"]
    until(lambda: states.describe_execution(executionArn=started)["status"] != "RUNNING")
    ended = states.describe_execution(executionArn=started)
    assert ended["status"] == "SUCCEEDED"
    walk = json.loads(ended["output"])
    assert walk["done"] is True
    assert walk["counts"]["masters"] == 1


def test_what_a_killed_service_had_begun_is_ended_after_the_next_start(
    machine: Machine, service: Deployment, tmp_path: Path
) -> None:
    names = [f"late {number}.tif" for number in range(6)]
    draw(tmp_path / names[0], 3)
    for name in names[1:]:
        shutil.copy(tmp_path / names[0], tmp_path / name)
    for name in names:
        service.masters.upload(tmp_path / name, name, content_type="image/tiff", metadata={})
    machine.kill()
    done = machine.up()
    assert done.returncode == 0, done.stderr

    def ended() -> bool:
        outcomes = [service.outcomes.get(name) for name in names]
        return all(outcome and outcome.state == "published" for outcome in outcomes)

    until(ended)
    report = machine.run("masters", "reconcile", "--dry-run", "--json").stdout
    assert '"started": 0' in report
    assert '"restarted": 0' in report
