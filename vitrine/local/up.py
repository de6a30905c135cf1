"""`vitrine up` and `vitrine down`: the whole service on this machine, from the templates."""

import contextlib
import os
import time
import urllib.error
import urllib.request
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

from vitrine.adapters.aws.access import AwsAccess
from vitrine.bootstrap.deployed_services import (
    deployed_desk,
    deployed_publish_settings,
    deployed_reconcile_services,
    has_mcp,
)
from vitrine.bootstrap.deployment import deployment
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, REPOSITORY, LocalService
from vitrine.errors import TransientError
from vitrine.identify.rebuild import rebuild
from vitrine.ingest.repair.reconciler import walk_through
from vitrine.local import emulator, preflight, process, task
from vitrine.local.assembly import Outputs
from vitrine.local.deploy import deploy
from vitrine.local.edge import edge
from vitrine.local.edge.listener import LAMBDA, read_listener
from vitrine.local.lock import hold_folder
from vitrine.local.orphans import stop_orphans
from vitrine.local.process import READY_SECONDS, Process, Running
from vitrine.local.progress import Progress
from vitrine.local.site_bundle import open_site_files
from vitrine.local.synth import synthesize
from vitrine.local.timer import timer_process
from vitrine.site.static_files import publish_site, write_robots
from vitrine.store.ticket_keys import make_ticket_keys

STAGE = "dev"
REGION = "us-east-1"
"""The region of the environment `dev` (stacks/designs.py)."""
EDGE_HEADER = "X-Cache"
"""The header in which the edge, and no other server, says where an answer came from."""
EDGE_STOP_SECONDS = 5.0
FUNCTIONS = REPOSITORY / "stacks" / "functions"


class NotReady(RuntimeError):
    """The machine lacks something; each argument is one problem and says what to do."""


@dataclass(frozen=True, kw_only=True)
class Ports:
    """Ports of the three servers, all on 127.0.0.1."""

    edge: int = 8080
    origin: int = 8081
    emulator: int = 4566
    proxy: int | None = None
    """Port at which the service reaches the emulator through a proxy, as in a drill."""

    @property
    def cloud(self) -> int:
        """Port at which the service reaches what plays AWS."""
        return self.emulator if self.proxy is None else self.proxy


def up(
    directory: Path,
    ports: Ports,
    progress: Progress,
    flavour: str = "",
    doors: Collection[str] = (),
) -> tuple[LocalService, bool]:
    """Start what is not running yet; return the service, and True if this call started it.

    With a `flavour` (stacks/flavours.py), the templates are those of `dev` with it, and with these
    `doors` of `synthesize`. Leaves nothing running if it fails. Raises NotReady, SynthFailed,
    DeployFailed, ProcessDied, TimeoutError or another OSError.
    """
    with hold_folder(directory):
        service = running_service(directory)
        if service is not None:
            return service, False
        _stop_everything(directory)  # the rest of a service that died
        options = {f"{name}-port": getattr(ports, name) for name in ("edge", "origin", "emulator")}
        problems = preflight.find_problems(directory, options)
        problems += preflight.find_missing_languages(doors)
        if problems:
            raise NotReady(*problems)
        try:
            return _start_service(directory, ports, progress, flavour, doors), True
        except BaseException:
            _stop_everything(directory)
            raise


def down(directory: Path, progress: Progress) -> bool:
    """Stop everything, in reverse order of start; return False if nothing was running.

    Raises TimeoutError if the kernel does not remove what was killed.
    """
    with hold_folder(directory):
        (directory / "service.json").unlink(missing_ok=True)
        items = process.read_notes(directory)
        for item in reversed(items):
            with progress.step(f"stopping {item.name}"):
                in_time = process.stop(item, directory)
            if not in_time:
                progress.say(f"{item.name} did not end in {item.stop_seconds:g} s and was killed")
        orphans = stop_orphans(directory)
        if left := ", ".join(item.name for item in process.read_notes(directory)):
            raise TimeoutError(f"killed, but not gone yet: {left}; try again in a minute")
        return orphans > 0 or bool(items)


def running_service(directory: Path) -> LocalService | None:
    """Return the service of this directory if all its processes are alive."""
    service, items = LocalService.load(directory), process.read_notes(directory)
    return service if service and items and all(item.alive for item in items) else None


def _stop_everything(directory: Path) -> None:
    (directory / "service.json").unlink(missing_ok=True)
    process.stop_all(directory)
    stop_orphans(directory)


def _start_service(
    directory: Path, ports: Ports, progress: Progress, flavour: str, doors: Collection[str]
) -> LocalService:
    service = LocalService(
        stage=STAGE,
        region=REGION,
        edge_url=f"http://127.0.0.1:{ports.edge}",
        origin_url=f"http://127.0.0.1:{ports.origin}",
        emulator_url=emulator.url(ports.cloud),
        logs=str(directory / "logs"),
        doors=tuple(doors),
        flavour=flavour,
    )
    begun = datetime.now(UTC)
    with progress.step("starting the emulator"):
        emulator.start(directory, ports.emulator, REGION, reached_at=ports.proxy)
    with progress.step("synthesizing the templates"):
        assembly = synthesize(STAGE, flavour=flavour, doors=doors)
    access = emulator.access(REGION, ports.emulator)
    with progress.step("deploying the templates to the emulator"):
        outputs = deploy(assembly, access, progress.say)
        emulator.save(directory)
    service = _with_function(service, outputs)
    service.save(directory)
    with progress.step("publishing the page"):
        _publish_page(service)
    parts = "nginx, gateway, iipsrv and the edge"
    if service.image_function:
        parts = "the edge; the first request starts a Lambda"
    with progress.step(f"starting {parts}"):
        started: list[Running] = []
        if not service.image_function:
            started += _start_task(directory, ports, access, outputs)
            _wait_until_answering(ports.origin, started)
        started.append(process.start(_edge_process(directory, ports, access, outputs), directory))
        _wait_until_answering(ports.edge, started, EDGE_HEADER)
    _rebuild_identifiers(progress)
    _reconcile_masters(begun, progress)
    variables = os.environ | {DIRECTORY_VARIABLE: str(directory)}
    process.start(timer_process(directory, variables), directory)
    return service


def _publish_page(service: LocalService) -> None:
    """Publish what all pages share, and make the first key of links, which the API may only read.

    Raises TransientError.
    """
    deployed, settings = deployment(), deployed_publish_settings()
    robots = write_robots(service.edge_url, settings.crawlers, settings.content_usage)
    with open_site_files() as files:
        publish_site(
            deployed.site,
            files.site,
            files.viewer,
            files.others,
            robots,
            service.edge_url,
            desk=deployed_desk(),
            has_mcp=has_mcp(),
        )
    make_ticket_keys(deployed.records, deployed.edge_keys)


def _with_function(service: LocalService, outputs: dict[str, Outputs]) -> LocalService:
    """Return the service with the Lambda that serves its images, if one does."""
    deployed = outputs[f"vitrine-{STAGE}-deliver"]
    if "ImageFunctionUrl" not in deployed:
        return service
    name = str(urlsplit(deployed["ImageFunctionUrl"]).hostname).partition(".")[0]
    return replace(
        service,
        image_function=deployed["ImageFunctionName"],
        origin_url=f"{service.emulator_url}/_aws/lambda-url/{name}",
    )


def _rebuild_identifiers(progress: Progress) -> None:
    """Restore identifiers: a killed emulator has lost what it did not save."""
    try:
        with progress.step("comparing identifiers with their journal"):
            service = deployment()
            counts = rebuild(service.identifiers, service.records)
    except TransientError as error:  # the other images can still be served
        progress.say(
            f"Not all identifiers could be compared ({error}); try `vitrine identifiers rebuild`."
        )
        return
    if counts["written"]:
        progress.say(f"{counts['written']} identifiers were brought back from their journal")


def _reconcile_masters(begun: datetime, progress: Progress) -> None:
    """Start ingests that a killed emulator lost: none that ran before `begun` still runs."""
    try:
        with progress.step("looking for masters that no event reported"):
            services = deployed_reconcile_services()
            rules = services.rules_after_a_restart(begun)
            counts = walk_through(services, rules, wait=lambda: False)
    except TransientError as error:  # the other images can still be served
        progress.say(
            f"Not all masters could be looked at ({error}); try `vitrine masters reconcile`."
        )
        return
    caught_up = sum(counts[name] for name in ("started", "restarted", "queued"))
    if caught_up:
        progress.say(f"{caught_up} masters that were not ingested are being ingested now")


def _start_task(
    directory: Path, ports: Ports, access: AwsAccess, outputs: dict[str, Outputs]
) -> list[Running]:
    arn = outputs[f"vitrine-{STAGE}-deliver"]["TaskDefinitionArn"]
    definition = access.client("ecs").describe_task_definition(taskDefinition=arn)
    processes = task.container_processes(
        definition["taskDefinition"],
        directory=directory / "task",
        region=REGION,
        emulator_port=ports.cloud,
        changes=task.setting_overrides(edge_port=ports.edge, origin_port=ports.origin),
    )
    started = []
    for item in processes:
        running = process.start(item, directory)
        process.wait_until_healthy(item, running)
        started.append(running)
    return started


def _edge_process(
    directory: Path, ports: Ports, access: AwsAccess, outputs: dict[str, Outputs]
) -> Process:
    deployed, deliver = (outputs[f"vitrine-{STAGE}-{name}"] for name in ("edge", "deliver"))
    function, photo_api = deliver.get("ImageFunctionUrl", ""), deliver.get("PhotoApiId", "")
    arn = deliver.get("ListenerArn")
    logs = directory / "edge" / "logs"
    if not logs.is_symlink():  # so that all logs are in one folder
        (directory / "logs" / "edge").mkdir(parents=True, exist_ok=True)
        logs.parent.mkdir(exist_ok=True)
        logs.symlink_to(directory / "logs" / "edge")
    configuration = edge.write_configuration(
        directory / "edge",
        port=ports.edge,
        origin_port=ports.cloud if function else ports.origin,
        origin_host=urlsplit(function).hostname or "",
        emulator_port=ports.cloud,
        site_bucket=outputs[f"vitrine-{STAGE}-store"]["SiteBucketName"],
        frame_ancestors=deployed["FrameAncestors"],
        distribution=emulator.distribution_arn(deployed["DistributionId"]),
        functions=FUNCTIONS,
        listener=read_listener(access.client("elbv2"), arn) if arn else LAMBDA,
        photo_door="PhotoAddress" in deployed,
        photo_api=photo_api,
        access_host=urlsplit(deliver.get("AuthorizationFunctionUrl", "")).hostname or "",
        inside_host=urlsplit(deliver["ContentSearchFunctionUrl"]).hostname or "",
        api=outputs[f"vitrine-{STAGE}-api"]["ApiId"],
        mcp_api=deliver.get("McpApiId", ""),
    )
    return Process(
        name="edge",
        command=tuple(edge.command(configuration)),
        environment={"PATH": task.search_path()},
        folder=directory,
        stop_seconds=EDGE_STOP_SECONDS,
    )


def _wait_until_answering(port: int, started: list[Running], header: str = "") -> None:
    """Wait until a server on `port` answers below 500, as nginx does once the gateway is up.

    With `header`, only an answer that carries it counts: another server may have the port.
    """
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        for item in started:
            process.require_alive(item)
        with contextlib.suppress(OSError):
            status, headers = _request_url(f"http://127.0.0.1:{port}/iiif/")
            if status < 500 and (not header or header in headers):
                return
        time.sleep(0.1)
    raise TimeoutError(f"port {port}: {started[-1].name} does not answer in {READY_SECONDS:g} s")


def _request_url(url: str) -> tuple[int, Message]:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers
