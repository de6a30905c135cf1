"""Each run book is followed with its fault made real: its commands find the fault and mend it.

docs/runbooks/README.md says what cannot be made real here. The metrics behind the alarms are in
tests/integration/deliver/test_runbooks.py.
"""

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from loadtest.figures.process_cpu import tree
from tests.free_ports import free_ports
from tests.integration.local.machines import SIDE, Machine, draw
from tests.integration.local.runbook_reader import RUNBOOKS, Operator
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.deliver.metrics.prometheus import parse_samples
from vitrine.local.process import read_notes

SECONDS = 90.0
IMAGES = ("first", "second")
TILE = "0,0,512,512/512,512/0/default.jpg"


class Answer(NamedTuple):
    """What the service says to a viewer."""

    status: int
    body: bytes
    retry_after: str | None

    @property
    def reason(self) -> str:
        return str(json.loads(self.body)["reason"])


class Here:
    """The service, with what breaks it and what shows that it is whole."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.folder = folder
        operator = folder / "operator"
        operator.mkdir()
        self.operator = Operator(machine, operator)

    @property
    def cloud(self) -> AwsAccess:
        service = self.machine.service
        return AwsAccess(service.emulator_url, service.region, dummy_credentials=True)

    def outputs(self, stage: str) -> dict[str, str]:
        return stack_outputs(self.cloud.client("cloudformation"), f"vitrine-dev-{stage}")

    def ask(self, path: str, at: str = "") -> Answer:
        """Ask the origin, or `at` another address: the edge keeps answers."""
        url = f"{at or self.machine.service.origin_url}{path}"
        try:
            with urllib.request.urlopen(url, timeout=60) as found:
                return Answer(found.status, found.read(), None)
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read(), error.headers.get("Retry-After"))

    def image(self, identifier: str, rest: str = "info.json") -> Answer:
        return self.ask(f"/iiif/3/{identifier}/{rest}")

    def pid(self, name: str) -> int:
        return next(item.pid for item in read_notes(self.machine.directory) if item.name == name)

    def kill(self, name: str) -> None:
        for pid in reversed(tree([self.pid(name)])):
            os.kill(pid, signal.SIGKILL)

    @contextmanager
    def halted(self, name: str) -> Iterator[None]:
        """Halt a program and all that it started: it answers nobody, and is not dead."""
        pids = tree([self.pid(name)])
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def upload(self, identifier: str, seed: int, side: int = SIDE) -> str:
        """Put a master into its bucket, as any S3 client would; return its key."""
        key = f"{identifier}.tif"
        draw(self.folder / key, seed, side)
        body = (self.folder / key).read_bytes()
        bucket = self.outputs("store")["MastersBucketName"]
        self.cloud.client("s3").put_object(Bucket=bucket, Key=key, Body=body)
        return key

    def counter(self, name: str) -> float:
        """Return a metric of the gateway, over all its labels unless `name` gives some."""
        samples = parse_samples(self.ask("/metrics").body.decode())
        starts = (f"vitrine_{name}{{", f"vitrine_{name}\n")
        return sum(value for key, value in samples.items() if f"{key}\n".startswith(starts))


def until(holds: Callable[[], object], what: str, pause: float = 0.5) -> None:
    """Wait until it holds, looking again after each pause."""
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(pause)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    machine = Machine(tmp_path_factory.mktemp("r"), free_ports(3))
    masters = tmp_path_factory.mktemp("masters")
    for seed, name in enumerate(IMAGES):
        draw(masters / f"{name}.tif", seed + 1)
    try:
        done = machine.up("--masters", masters)
        assert done.returncode == 0, done.stdout + done.stderr
        yield Here(machine, tmp_path_factory.mktemp("o"))
    finally:
        machine.run("down")


def test_runbook_s3_does_not_answer(here: Here) -> None:
    store = here.outputs("store")["AccessMastersBucketName"]
    s3 = here.cloud.client("s3")
    (lost,) = [
        item["Key"]
        for item in s3.list_objects_v2(Bucket=store)["Contents"]
        if "second" in item["Key"]
    ]
    s3.delete_object(Bucket=store, Key=lost)
    answer = here.image("second", TILE)
    assert answer.status == 503
    assert "access master is missing" in answer.reason
    with here.operator.following("s3-does-not-answer") as page:
        page.says("One image alone: its access master is missing")
        printed = page.type_next()
    assert "1" in printed, printed
    until(lambda: here.image("second", TILE).status == 200, printed)


def test_runbook_uploads_wait(here: Here) -> None:
    mappings = here.cloud.client("lambda")
    (starter,) = [
        item["UUID"]
        for item in mappings.list_event_source_mappings()["EventSourceMappings"]
        if "StartIngest" in item["FunctionArn"]
    ]
    mappings.update_event_source_mapping(UUID=starter, Enabled=False)
    here.upload("third", 3)
    with here.operator.following("uploads-wait") as page:
        page.says("Nothing runs")
        waits = page.left[0]
        until(lambda: "1 queued, 0 running" in here.operator.type(waits), "nothing waits", 3)
        assert page.type_next()
        printed = page.type_next(ID=starter)
    assert re.search(rf"{starter}\s+Disabled\s+\S*StartIngest", printed), printed
    until(lambda: here.image("third").status == 200, "the upload still waits")


def test_runbook_the_reconciler_does_not_run(here: Here) -> None:
    events = here.cloud.client("events")
    rules = {rule["Name"]: rule for rule in events.list_rules()["Rules"]}
    (schedule,) = [name for name in rules if "ReconcileSchedule" in name]
    patterns = {name: rule.get("EventPattern", "") for name, rule in rules.items()}
    uploads = [name for name, pattern in patterns.items() if "Object Created" in pattern]
    # What the reconciler is for: an event that never came, and nobody to notice.
    for name in (schedule, *uploads):
        events.disable_rule(Name=name)
    here.upload("fourth", 4)
    for name in uploads:
        events.enable_rule(Name=name)
    with here.operator.following("the-reconciler-does-not-run") as page:
        page.type_next()
        until(lambda: here.image("fourth").status == 200, "the lost upload is not found")
        printed = page.type_next()
        assert re.search(rf'"{schedule}",\s+"DISABLED"', printed), printed
        page.says("A disabled rule is enabled again by a deployment")
    events.enable_rule(Name=schedule)


def test_runbook_ingests_fail(here: Here) -> None:
    machines = here.cloud.client("stepfunctions")
    arn = here.outputs("ingest")["StateMachineArn"]
    key = here.upload("fifth", 5)

    def running() -> list[str]:
        found = machines.list_executions(stateMachineArn=arn, statusFilter="RUNNING")
        return [item["executionArn"] for item in found["executions"]]

    # As an operator's mistake, or AWS, ends an execution from outside.
    deadline = time.monotonic() + SECONDS
    while not (found := running()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    machines.stop_execution(executionArn=found[0])
    with here.operator.following("ingests-fail") as page:
        listing = page.left[0]
        printed = _until_listed(here, listing, key)
        page.type_next()
        page.type_next(MASTER=key, CODE="none-has-this-code")
    until(lambda: here.image("fifth").status == 200, printed)
    assert "There is no failure" in here.operator.type(listing)


def _until_listed(here: Here, listing: str, key: str) -> str:
    """Return the list of failures once the master is on it."""
    deadline = time.monotonic() + SECONDS
    while key not in (printed := here.operator.type(listing)):
        assert time.monotonic() < deadline, printed
        time.sleep(3)
    return printed


def test_runbook_messages_could_not_be_used(here: Here) -> None:
    # What a queue does with a message that its worker failed at as often as it may.
    sqs = here.cloud.client("sqs")
    dead = here.outputs("ingest")["StartIngestDeadLettersUrl"]
    key = here.upload("sixth", 6)
    until(lambda: here.image("sixth").status == 200, "not ingested")
    bucket = here.outputs("store")["MastersBucketName"]
    event = {
        "source": "aws.s3",
        "detail-type": "Object Created",
        "detail": {"bucket": {"name": bucket}, "object": {"key": key}},
    }
    sqs.send_message(QueueUrl=dead, MessageBody=json.dumps(event))
    with here.operator.following("messages-could-not-be-used") as page:
        listing = page.left[0]
        assert key in page.type_next()
        page.type_next()
        assert "There is no failure" in here.operator.type(listing)
        page.type_next()


def test_runbook_renders_are_refused(here: Here) -> None:
    refused = here.counter("renders_refused_total")
    with here.halted("iipsrv"), ThreadPoolExecutor(81) as visitors:
        sides = [(x, y) for x in range(9) for y in range(9)]
        paths = [f"{x},{y},600,600/{500 + 9 * x + y},/0/default.jpg" for x, y in sides]
        answers = list(visitors.map(lambda path: here.image("first", path), paths))
    busy = [answer for answer in answers if answer.status == 503]
    assert busy
    assert all(answer.retry_after for answer in busy)
    assert here.counter("renders_refused_total") > refused
    with here.operator.following("renders-are-refused") as page:
        page.says("answered with 503 and `Retry-After`")
        printed = page.type_next()
    assert re.search(r"iipsrv: [\d,]+ renders", printed), printed
    assert here.image("first", "1,1,600,600/333,/0/default.jpg").status == 200


def test_runbook_a_ceiling_was_reached(here: Here) -> None:
    """The fault, renders beyond the ceiling, is in tests/integration/deliver/test_runbooks.py."""
    assert here.image("first").status == 200
    with here.operator.following("a-ceiling-was-reached") as page:
        page.says('`ceiling="store-bytes"`, `"store-requests"` or `"renders"`')
        printed = page.type_next(PORT=here.machine.service.origin_url.rpartition(":")[2])
    assert 'vitrine_priced_requests_total{lane="stored"}' in printed


def test_runbook_tiles_are_slow(here: Here) -> None:
    """The fault, a slow store, is in tests/integration/deliver/test_runbooks.py."""
    with here.operator.following("tiles-are-slow") as page:
        page.says("Many `misses`: tiles come from S3")
        printed = page.type_next()
    report = here.folder / "operator" / "status.html"
    assert "What each program did" in report.read_text(), printed


def test_runbook_requests_are_throttled(here: Here) -> None:
    assert here.image("first").status == 200
    # The emulator's tables have no limit: this one does not answer at all.
    with here.halted("emulator"), ThreadPoolExecutor(2) as visitors:
        known, unknown = visitors.map(here.image, ("first", "nobody"))
    assert known.status == 200
    assert (unknown.status, bool(unknown.retry_after)) == (503, True)
    with here.operator.following("requests-are-throttled") as page:
        page.says("names that none of them has seen get 503")
        here.operator.type(_setting_of("T", "the-table-of-identifiers-is-lost"))
        table = json.loads(page.type_next())["TableDescription"]
    assert table["TableStatus"] == "ACTIVE"
    until(lambda: here.image("nobody").status == 404, "unknown names stay unanswered")


def _setting_of(name: str, page: str) -> str:
    """Return the lines that set a name on the page to which another one leads for it."""
    text = (RUNBOOKS / f"{page}.md").read_text()
    (lines,) = re.findall(rf"^ *({name}=\$\((?:.|\n)*?\))$", text, re.MULTILINE)
    return str(lines)


def test_runbook_the_table_of_identifiers_is_lost(here: Here) -> None:
    table = here.outputs("identify")["IdentifiersTableName"]
    dynamodb = here.cloud.client("dynamodb")
    assert here.image("first").status == 200
    # The backup that DynamoDB makes by itself of a table that is deleted.
    dynamodb.create_backup(TableName=table, BackupName="SYSTEM")
    assert here.machine.run("image", "withdraw", "second", "--reason", "A test.").returncode == 0
    assert here.image("nobody").status == 404
    dynamodb.update_table(TableName=table, DeletionProtectionEnabled=False)
    dynamodb.delete_table(TableName=table)
    until(lambda: here.image("nobodys").status == 503, "the loss has no effect")
    # What a task has in memory goes on, also once its record is too old to be trusted.
    assert here.image("first").status == 200
    with here.operator.following("the-table-of-identifiers-is-lost") as page:
        assert "ResourceNotFound" in page.type_next()
        block = page.left[0]
        backups = json.loads(here.operator.type(block.partition("aws dynamodb restore")[0]))
        arn = backups["BackupSummaries"][0]["BackupArn"]
        page.type_next(ARN=arn)
        page.type_next()
        printed = page.type_next()
        assert re.search(r"^ *1 were written", printed, re.MULTILINE), printed
        page.type_next()
    described = dynamodb.describe_table(TableName=table)["Table"]
    assert described["DeletionProtectionEnabled"] is True
    recovery = dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    assert recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
    # What was withdrawn after the backup comes back as withdrawn, from the journal.
    until(lambda: here.image("second").status == 410, "the withdrawal is lost")
    until(lambda: here.image("nobody").status == 404, "unknown names stay unanswered")
    assert here.image("first").status == 200


def test_runbook_the_table_of_identifiers_does_not_answer(here: Here) -> None:
    """Refused for lack of a right: the emulator heeds the policies of the tasks' role."""
    roles = here.cloud.client("iam")
    (role,) = [
        item["RoleName"]
        for item in roles.list_roles(MaxItems=1000)["Roles"]
        if "ImageTaskTaskRole" in item["RoleName"]
    ]
    here.upload("unread", 8)
    until(lambda: here.image("unread").status == 200, "not ingested")
    statement = {"Effect": "Deny", "Action": ["dynamodb:*", "s3:*"], "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    roles.put_role_policy(RoleName=role, PolicyName="a-mistake", PolicyDocument=document)
    refused = here.image("a-stranger")
    assert refused.status == 503
    assert "table of identifiers does not answer" in refused.reason
    assert here.image("first").status == 200
    tile = here.image("unread", TILE)
    assert (tile.status, bool(tile.retry_after)) == (503, True)
    assert here.counter('troubles_total{event="identifiers-table-silent"}') > 0
    with here.operator.following("the-table-of-identifiers-does-not-answer") as page:
        found = page.type_next()
        assert "a-mistake" in found
        assert "ImageTaskTaskRoleDefaultPolicy" in found, "it is named by its logical id"
        page.type_next(NAME="a-mistake")
        until(lambda: here.image("a-stranger").status == 404, "the table is still refused")
        for name in ("C", "S"):
            here.operator.type(_setting_of(name, "too-few-image-tasks"))
        service = json.loads(page.type_next())["service"]
    assert service["status"] == "ACTIVE"
    until(lambda: here.image("unread", TILE).status == 200, "the bucket is still refused")


def test_runbook_a_cache_cannot_be_written(here: Here) -> None:
    here.upload("large", 7, side=3_000)
    until(lambda: here.image("large").status == 200, "not ingested")
    caches = sorted((here.machine.directory / "task" / "work" / "cache").iterdir())
    for cache in caches:
        cache.rename(cache.with_suffix(".away"))
        cache.write_text("A file, where a disk should be mounted.")
    tiles = (
        f"{x},{y},256,256/256,256/0/default.jpg" for y in range(0, 2560, 256) for x in (0, 2304)
    )
    trouble = "block cache cannot be written"
    assert here.image("large", next(tiles)).status == 200
    with here.operator.following("a-cache-cannot-be-written") as page:
        look = page.left[0]
        assert trouble in page.type_next()
        for cache in caches:
            cache.unlink()
            cache.with_suffix(".away").rename(cache)
        page.says("Within five seconds after there is room, the gateway uses the disk again.")

        def is_mended() -> bool:
            assert here.image("large", next(tiles)).status == 200
            return trouble not in here.operator.type(look)

        time.sleep(5)
        until(is_mended, "the disk is not used again", 3)
        here.operator.type(_setting_of("C", "too-few-image-tasks"))
        tasks = here.cloud.client("ecs").list_tasks(cluster=here.outputs("deliver")["ClusterName"])
        stopped = page.type_next(TASK=tasks["taskArns"][0])
    assert json.loads(stopped)["task"]["stoppedReason"] == "its disk cannot be written"


class _Nothing(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def endpoint(certificate: Path, key: Path) -> Iterator[str]:
    """Serve TLS with a certificate, as the edge does; yield the address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = HTTPServer(("127.0.0.1", 0), _Nothing)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_runbook_the_certificate_ends(here: Here) -> None:
    folder = here.folder / "operator"

    def certify(days: int) -> None:
        names = ("-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=images.example.org")
        command = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt")
        more = ("ec_paramgen_curve:P-256", "-nodes", "-days", str(days), *names)
        subprocess.run([*command, *more], cwd=folder, check=True, capture_output=True)

    certify(days=5)
    acm = here.cloud.client("acm")
    files = {"Certificate": "cert.pem", "PrivateKey": "key.pem"}
    arn = acm.import_certificate(
        **{name: (folder / file).read_bytes() for name, file in files.items()}
    )["CertificateArn"]
    with here.operator.following("the-certificate-ends") as page:
        look = page.left[0]
        with endpoint(folder / "cert.pem", folder / "key.pem") as address:
            printed = here.operator.type(look.replace("images.example.org:443", address))
        assert "Certificate will expire" in printed, printed
        page.left.pop(0)
        assert len(json.loads(page.type_next(ARN=arn))) == 3
        certify(days=90)
        shutil.copyfile(folder / "cert.pem", folder / "chain.pem")
        assert json.loads(page.type_next(ARN=arn))["CertificateArn"] == arn
        with endpoint(folder / "cert.pem", folder / "key.pem") as address:
            printed = here.operator.type(look.replace("images.example.org:443", address))
        assert "Certificate will not expire" in printed, printed


def test_runbook_at_the_maximum_of_tasks(here: Here) -> None:
    with here.operator.following("at-the-maximum-of-tasks") as page:
        assert "vitrine-capacity plan" in page.type_next()


def test_runbooks_of_a_task_that_lost_its_gateway_and_iipsrv(here: Here) -> None:
    """Three pages, as one leads to the next."""
    here.kill("gateway")
    here.kill("iipsrv")
    edge = here.machine.service.edge_url
    path = f"/iiif/3/first/10,10,300,300/{211},/0/default.jpg"
    assert {here.ask(path, at=edge).status, here.ask(path).status} <= {502, 503, 504}
    with here.operator.following("visitors-get-errors") as page:
        page.says("Errors at both: go to [errors at the origin](errors-at-the-origin.md)")
    with here.operator.following("errors-at-the-origin") as page:
        printed = page.type_next()
        assert "NOT WELL gateway: It has ended" in printed
        assert "NOT WELL iipsrv: It has ended" in printed
        page.says("| 502, 504 | no gateway behind nginx")
    with here.operator.following("too-few-image-tasks") as page:
        # On AWS the service would say why; the emulator's tells of its own deployments only.
        assert all(event.startswith("(service ") for event in json.loads(page.type_next()))
        printed = page.type_next()
    assert "NOT WELL" in printed
    assert "Viewer" in printed
    assert here.ask(path).status == 200
    assert here.machine.run("status").returncode == 0
