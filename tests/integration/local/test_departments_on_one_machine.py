"""Two departments publish folders with the same names by `collection publish`.

Each has only its own policy, from the templates of an environment with departments; the emulator
heeds policies as AWS does.
"""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import boto3
import pytest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from tests.conftest import run_service
from tests.forked_vitrine import run_vitrine
from tests.integration.local.api_client import Api, open_api
from tests.integration.local.documents import ask
from tests.integration.local.machines import draw
from tests.integration.local.own_assembly import synthesize
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.local import emulator
from vitrine.local.deploy import deploy
from vitrine.local.up import REGION
from vitrine.settings.environments_file import FILE_VARIABLE
from vitrine.store.layout import owned_text, text_key

if TYPE_CHECKING:
    from conftest import Service

ENVIRONMENTS = f"""
[dev]
region = "{REGION}"
[dev.departments.works-on-paper]
collections = ["prints"]
members = ["arn:aws:iam::{emulator.ACCOUNT}:user/prints"]
[dev.departments.map-room]
collections = ["maps", "plans"]
members = ["arn:aws:iam::{emulator.ACCOUNT}:user/maps"]
[dev.departments.registrars]
collections = ["*"]
members = ["arn:aws:iam::{emulator.ACCOUNT}:user/registrar"]
"""
RULES = """
[source]
table = "sheets.csv"
masters = "scans"
[collection]
identifier = "{collection}"
label = "{collection}"
[object]
identifier = "{{id}}"
label = "{{title}}"
image = "{{file}}"
text = "texts/{{file}}.txt"
access = "{{access}}"
"""
POLICIES = {
    "prints": "DepartmentWorksOnPaperPolicyArn",
    "maps": "DepartmentMapRoomPolicyArn",
    "registrar": "DepartmentRegistrarsPolicyArn",
}
"""Output with the policy of each person."""


@dataclass(frozen=True)
class Museum:
    """A service, and the people who use it."""

    machine: "Service"
    cloud: AwsAccess
    environments: Path
    people: dict[str, Credentials]

    def output(self, stage: str, name: str) -> str:
        return stack_outputs(self.cloud.client("cloudformation"), f"vitrine-dev-{stage}")[name]

    def publish(self, person: str, rules: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """Publish a folder with the rights of one person."""
        return self.run(person, "collection", "publish", rules, *options)

    def run(self, person: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command with the rights of one person."""
        key = self.people[person]
        environment = self.machine.environment | {
            FILE_VARIABLE: str(self.environments),
            "AWS_ENDPOINT_URL": self.machine.addresses.emulator_url,
            "AWS_ACCESS_KEY_ID": key.access_key,
            "AWS_SECRET_ACCESS_KEY": key.secret_key,
        }
        return run_vitrine([*words, "-e", "dev"], environment, 400)

    def storage(self, person: str) -> Any:
        """Return a client of S3 with the rights of one person."""
        key = self.people[person]
        return boto3.client(
            "s3",
            endpoint_url=self.machine.addresses.emulator_url,
            region_name=REGION,
            aws_access_key_id=key.access_key,
            aws_secret_access_key=key.secret_key,
        )

    def api(self, person: str) -> Api:
        return Api(open_api(self.machine).address, self.people[person])


@pytest.fixture(scope="module")
def institution(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Museum]:
    """A service of its own without departments, and a curator."""
    folder = tmp_path_factory.mktemp("institution")
    with run_service(folder / "service") as machine:
        file = folder / "environments.toml"
        file.write_text(f'[dev]\nregion = "{REGION}"\n')
        cloud = AwsAccess(machine.addresses.emulator_url, REGION, dummy_credentials=True)
        people = {"curator": admit(cloud, "curator", "CuratorPolicyArn")}
        yield Museum(machine, cloud, file, people)


@pytest.fixture(scope="module")
def museum(institution: Museum, tmp_path_factory: pytest.TempPathFactory) -> Museum:
    """The same, deployed again with departments."""
    return open_museum(institution.machine, tmp_path_factory.mktemp("departments"))


def open_museum(machine: "Service", folder: Path) -> Museum:
    """Deploy a service with departments, and let each person have a key."""
    file = folder / "environments.toml"
    cloud = AwsAccess(machine.addresses.emulator_url, REGION, dummy_credentials=True)
    file.write_text(ENVIRONMENTS)
    deploy(synthesize(folder / "with", file), cloud, print)
    people = {name: admit(cloud, name, output) for name, output in POLICIES.items()}
    return Museum(machine, cloud, file, people)


def admit(cloud: AwsAccess, name: str, output: str) -> Credentials:
    """Give a new person a policy, by its output, and a key."""
    iam = cloud.client("iam")
    iam.create_user(UserName=name)
    arn = stack_outputs(cloud.client("cloudformation"), "vitrine-dev-curate")[output]
    iam.attach_user_policy(UserName=name, PolicyArn=arn)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return Credentials(key["AccessKeyId"], key["SecretAccessKey"])


def folder_of(place: Path, collection: str, *objects: str, access: str = "") -> Path:
    """Write a folder whose images and texts are called alike in all departments."""
    (place / "scans").mkdir(parents=True)
    (place / "texts").mkdir()
    table = "id,title,file,access\n"
    for number, name in enumerate(objects):
        file = f"dept-00{number}.tif"
        draw(place / "scans" / file, len(collection) + number)
        (place / "texts" / f"{file}.txt").write_text(f"A word about {collection}.\n")
        table += f"{name},{name} of {collection},{file},{access}\n"
    (place / "sheets.csv").write_text(table)
    rules = place / "collection.toml"
    rules.write_text(RULES.format(collection=collection))
    return rules


def read(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_curator_publishes_by_the_policy_alone(institution: Museum, tmp_path: Path) -> None:
    rules = folder_of(tmp_path / "curated", "curated", "dept-whole", access="open")
    done = institution.publish("curator", rules, "--json")
    report = read(done)
    assert (done.returncode, report["made"], report["refused"]) == (0, 1, []), report
    assert (report["images"]["published"], report["rules_changed"]) == (1, 1)
    edge = institution.machine.addresses.edge_url
    assert ask(f"{edge}/presentation/3/dept-whole/manifest.json")[0] == 200
    changed = institution.publish("curator", rules, "--json")
    assert (changed.returncode, read(changed)["unchanged"]) == (0, 1)


def test_two_departments_publish_folders_with_the_same_names(
    museum: Museum, tmp_path: Path
) -> None:
    prints = folder_of(tmp_path / "prints", "prints", "dept-sheet", "dept-proof")
    done = museum.publish("prints", prints, "--json")
    report = read(done)
    assert (done.returncode, report["made"], report["refused"]) == (0, 2, []), report
    assert (report["images"]["published"], report["texts"]["read"]) == (2, 2)
    maps = folder_of(tmp_path / "maps", "maps", "dept-sheet", "dept-plan")
    done = museum.publish("maps", maps, "--json")
    report = read(done)
    # The objects are called alike: the second department has what the first one has not.
    assert (done.returncode, report["images"]["published"], report["made"]) == (1, 2, 1), report
    ((refused,),) = [report["refused"]]
    assert 'belongs to the collection "prints"' in refused["sentence"]
    assert report["images_renamed"] == {"dept-000": "maps-dept-000", "dept-001": "maps-dept-001"}
    edge = museum.machine.addresses.edge_url
    titles = {
        name: ask(f"{edge}/presentation/3/{name}/manifest.json")[1]["label"]
        for name in ("dept-sheet", "dept-proof", "dept-plan")
    }
    assert titles == {
        "dept-sheet": {"none": ["dept-sheet of prints"]},
        "dept-proof": {"none": ["dept-proof of prints"]},
        "dept-plan": {"none": ["dept-plan of maps"]},
    }
    _, listed = ask(f"{edge}/presentation/3/maps/collection.json")
    assert [one["label"] for one in listed["items"]] == [{"none": ["dept-plan of maps"]}]
    again = read(museum.publish("prints", prints, "--json"))
    assert (again["made"], again["unchanged"], again["images"]["unchanged"]) == (0, 2, 2)
    # The service itself brings the search up to date: nobody else may write it.
    assert again["search"] is None


def test_a_rule_of_a_table_holds_before_its_images_are_there(
    museum: Museum, tmp_path: Path
) -> None:
    rules = folder_of(tmp_path / "plans", "plans", "dept-secret", access="closed")
    report = read(museum.publish("maps", rules, "--json"))
    assert report["rules_changed"] == 1
    (image,) = report["images_renamed"].values()
    _, _, access = museum.api("maps").call("GET", f"/access/{quote(image)}")
    assert (access["access"], access["is_own"]) == ("closed", True)
    assert museum.api("maps").call("GET", f"/images/{quote(image)}")[2]["state"] == "live"


def test_a_department_cannot_publish_what_is_the_others(museum: Museum, tmp_path: Path) -> None:
    rules = folder_of(tmp_path / "forged", "prints", "dept-forged")
    done = museum.publish("maps", rules)
    assert (done.returncode, '"prints" is no collection of yours' in done.stderr) == (2, True)
    assert museum.api("maps").call("GET", "/objects/dept-forged")[0] == 404
    masters = museum.cloud.client("s3").list_objects_v2(
        Bucket=museum.output("store", "MastersBucketName"), Prefix="prints/"
    )
    assert {one["Key"] for one in masters["Contents"]} == {
        f"prints/scans/dept-00{number}.tif" for number in range(2)
    }


def test_no_right_of_a_department_writes_what_the_api_writes(museum: Museum) -> None:
    storage, theirs = museum.storage("maps"), text_key(owned_text("prints", "f" * 32))
    for stage, name, key in (
        ("store", "MastersBucketName", "prints/x.tif"),
        ("store", "MastersBucketName", "x.tif"),
        ("store", "RecordsBucketName", theirs),
        ("store", "RecordsBucketName", "owners/prints"),
        ("store", "RecordsBucketName", "objects/x"),
        ("store", "RecordsBucketName", "identifiers/x"),
        ("store", "SiteBucketName", "search/x"),
    ):
        with pytest.raises(ClientError, match="AccessDenied"):
            storage.put_object(Bucket=museum.output(stage, name), Key=key, Body=b"x")
    storage.put_object(
        Bucket=museum.output("store", "RecordsBucketName"),
        Key=text_key(owned_text("maps", "f" * 32)),
        Body=b"x",
    )


def test_who_has_all_collections_publishes_by_the_api_and_writes_no_record(
    museum: Museum, tmp_path: Path
) -> None:
    rules = folder_of(tmp_path / "registered", "registered", "dept-register", access="open")
    done = museum.publish("registrar", rules, "--json")
    report = read(done)
    assert (done.returncode, report["made"], report["refused"]) == (0, 1, []), report
    assert report["images"]["published"] == 1
    edge = museum.machine.addresses.edge_url
    assert ask(f"{edge}/presentation/3/dept-register/manifest.json")[0] == 200
    storage = museum.storage("registrar")
    for stage, name, key in (
        ("store", "RecordsBucketName", "objects/x"),
        ("store", "RecordsBucketName", "identifiers/x"),
        ("store", "SiteBucketName", "objects/x"),
    ):
        with pytest.raises(ClientError, match="AccessDenied"):
            storage.put_object(Bucket=museum.output(stage, name), Key=key, Body=b"x")


def test_a_department_looks_after_its_images_by_the_api(museum: Museum, tmp_path: Path) -> None:
    for person, name in (("maps", "dept-chart"), ("prints", "dept-print")):
        done = museum.publish(person, folder_of(tmp_path / person, person, name))
        assert done.returncode == 0, done.stderr
    image, theirs = (
        museum.api("maps").call("GET", f"/objects/{name}")[2]["canvases"][0]["image"]
        for name in ("dept-chart", "dept-print")
    )
    for words in (
        ("access", "image", image, "closed"),
        ("access", "image", image, "inherited"),
        ("redirects", "add", "dept-former", image),
        ("image", "rename", image, "dept-chart-1"),
        ("image", "withdraw", "dept-chart-1", "--reason", "A claim."),
        ("image", "restore", "dept-chart-1"),
        ("object", "rename", "dept-chart", "dept-chart-of-1"),
    ):
        done = museum.run("maps", *words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
    table = tmp_path / "redirects.csv"
    table.write_text(f"old,new\ndept-older,dept-chart-1\n{theirs},dept-chart-1\n")
    imported = museum.run("maps", "redirects", "import", table, "--replace-live", "--take-over")
    assert imported.returncode == 1
    assert f'"{theirs}" belongs to the collection "prints"' in imported.stdout
    led = {
        name: museum.api("maps").call("GET", f"/images/{name}")[2].get("target")
        for name in ("dept-former", "dept-older", image, theirs)
    }
    assert led == {
        "dept-former": "dept-chart-1",
        "dept-older": "dept-chart-1",
        image: "dept-chart-1",
        theirs: None,
    }
    for words in (
        ("image", "withdraw", theirs, "--reason", "A claim."),
        ("image", "rename", theirs, "dept-mine"),
        ("access", "image", theirs, "closed"),
        ("object", "withdraw", "dept-print", "--reason", "A claim."),
    ):
        refused = museum.run("maps", *words)
        assert refused.returncode == 1, words
        assert 'belongs to the collection "prints"' in refused.stderr, words


def test_a_take_over_is_not_for_a_department(museum: Museum, tmp_path: Path) -> None:
    rules = folder_of(tmp_path / "greedy", "maps", "dept-sheet")
    done = museum.publish("maps", rules, "--take-over", "dept-sheet")
    assert (done.returncode, "--take-over" in done.stderr) == (2, True)
