"""Each run book of delivery is followed with its fault made real: its commands find and mend it.

docs/runbooks/README.md says what cannot be made real here. The metrics behind the alarms are in
tests/integration/deliver/test_runbooks.py.
"""

import json
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

from tests.integration.local.runbook_reader import RUNBOOKS
from tests.integration.local.runbook_service import TILE, Here, until


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
    assert here.counter('faults_total{event="identifiers-table-silent"}') > 0
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
