"""The drill: lose two tables, the access masters, the environment; compare all items.

Each loss is made good with the commands that its run book names. What the service held and answered
before is then compared item by item.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loadtest.drills.disaster.contents import Contents, compare_contents, take_stock
from loadtest.drills.disaster.losses import copy_bucket, lose_bucket, lose_table, make_table_again
from loadtest.drills.ingest.drill_masters import make_picture
from loadtest.drills.ingest.settling import await_settled
from loadtest.drills.ingest.stored_state import KEPT, Truth
from rigs.service_instance import Instance, start_instance
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.bootstrap.deployed_services import deployed_publisher, deployed_reconcile_services
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.identify.rebuild import rebuild
from vitrine.iiif.presentation.model import Canvas, PublishedObject
from vitrine.ingest.publish.curation import Curation
from vitrine.ingest.repair.reconciler import walk_through
from vitrine.local.up import STAGE
from vitrine.records import Outcome

OF_AN_OBJECT = 5
"""Images that an object shows."""
LIMIT_SECONDS = 600.0
"""Only for what never comes: the gateway shows what it remembers for a minute, and events are on
their way for as long as a busy machine takes."""
_MASTER_SECONDS = 3.0
"""More for each master."""
_REPORTS = "Notifications"
"""The queue of what S3 reports a second time, for minutes after an image is published."""
_APART_SECONDS = 3.0
"""Between two looks that are to find the same."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class _Service:
    """A running service, with its names of buckets and tables."""

    instance: Instance
    outputs: dict[str, str]

    @property
    def access_masters(self) -> S3ObjectStore:
        client = self.instance.access.client("s3")
        return S3ObjectStore(client, self.outputs["AccessMastersBucketName"])

    def look(self, names: list[str], objects: list[str]) -> Contents:
        return take_stock(self.instance.service, self.access_masters, names, objects)

    def look_once_settled(self, names: list[str], objects: list[str]) -> Contents:
        """Look when nothing moves any more, until two looks find the same."""
        deadline = time.monotonic() + LIMIT_SECONDS
        last = None
        while True:
            # Before any look: the gateway would remember what it showed too early.
            await_settled(Truth(self.instance.access, (*KEPT, _REPORTS)), None, LIMIT_SECONDS)
            found = self.look(names, objects)
            if found == last:
                return found
            if time.monotonic() > deadline:
                raise TimeoutError("what the service holds and answers goes on changing")
            last = found
            time.sleep(_APART_SECONDS)


def measure_losses(masters: int, directory: Path, say: Say) -> dict[str, Any]:
    """Lose and restore all three with a number of masters; return times and differences as JSON.

    Raises what starting a service raises, and TimeoutError when something does not end.
    """
    names = [f"image-{number:05}" for number in range(masters)]
    objects = [f"object-{number:04}" for number in range(masters // OF_AN_OBJECT)]
    with _start_service(directory / "first") as first:
        say(f"{masters:,} masters are ingested, {len(objects):,} objects published")
        names += _fill_service(first.instance, names, objects)
        before = first.look_once_settled(names, objects)
        losses = [
            _restore_loss("the tables", before, first, _lost_tables, say),
            _restore_loss("the access masters", before, first, _lost_access_masters, say),
        ]
        # Of withdrawals and redirects, nothing is in the masters.
        with _start_service(directory / "second") as second:
            losses.append(_move_environment(before, first, second, say))
    return {
        "masters": masters,
        "objects": len(objects),
        "items": {kind: len(getattr(before, kind)) for kind in vars(before)},
        "losses": losses,
    }


def broken_promises(figures: dict[str, Any]) -> list[str]:
    """Return a sentence for each kind of items that did not all come back."""
    return [
        f"{loss['lost']}: {len(names)} of the {kind.replace('_', ' ')} are not as before"
        for loss in figures["losses"]
        for kind, names in loss["different"].items()
        if names
    ]


def _restore_loss(
    lost: str, before: Contents, service: _Service, restore: Callable[[_Service], Any], say: Say
) -> dict[str, Any]:
    say(f"lost: {lost}")
    begun = time.monotonic()
    done = restore(service)
    commands = time.monotonic() - begun
    different = _until_equal(before, service)
    say(f"back after {time.monotonic() - begun:.1f} s")
    return {
        "lost": lost,
        "done": done,
        "commands_seconds": round(commands, 1),
        "whole_after_seconds": round(time.monotonic() - begun, 1),
        "different": different,
    }


def _lost_tables(service: _Service) -> dict[str, Any]:
    """Lose what identifiers answer, and the catalogue."""
    access, deployed = service.instance.access, service.instance.service
    for table in ("IdentifiersTableName", "CatalogueTableName"):
        make_table_again(access, lose_table(access, service.outputs[table]))
    identifiers = dict(rebuild(deployed.identifiers, deployed.records))
    objects = rebuild_publications(deployed_publisher())["objects"]
    return identifiers | {"objects": objects}


def _lost_access_masters(service: _Service) -> dict[str, Any]:
    deleted = lose_bucket(service.instance.access, service.outputs["AccessMastersBucketName"])
    rules = deployed_reconcile_services().rules(datetime.now(UTC))
    counts = walk_through(
        deployed_reconcile_services(),
        replace(rules, asks_for_access_masters=True),
        wait=_pause_once,
    )
    return {"deleted": deleted, **counts}


def _pause_once() -> bool:
    time.sleep(1)
    return True


def _move_environment(
    before: Contents, first: _Service, second: _Service, say: Say
) -> dict[str, Any]:
    """Bring another environment to life from copies of the masters and the records."""

    def restore(service: _Service) -> dict[str, Any]:
        old, new = first.instance.service, service.instance.service
        copied = copy_bucket(old.records, new.records)
        identifiers = rebuild(new.identifiers, new.records)["written"]
        masters = copy_bucket(old.masters, new.masters)
        _wait_until_ended(service.instance, masters)
        objects = rebuild_publications(deployed_publisher())
        return {
            "records": copied,
            "identifiers": identifiers,
            "masters": masters,
            "objects": objects["objects"],
        }

    return _restore_loss("the environment", before, second, restore, say)


def _until_equal(before: Contents, service: _Service) -> dict[str, list[str]]:
    names = list(before.identifiers)
    objects = list(before.publications)
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        different = compare_contents(before, service.look(names, objects))
        if not any(different.values()) or time.monotonic() > deadline:
            return different
        time.sleep(1)


def _fill_service(running: Instance, names: list[str], objects: list[str]) -> list[str]:
    """Publish images and objects; withdraw one image in twenty, rename another.

    Returns the names that are new.
    """
    service = running.service
    for number, name in enumerate(names):
        service.masters.put(f"{name}.tif", make_picture(number).body, content_type="image/tiff")
    _wait_until_ended(running, len(names))
    publisher = Objects(deployed_publisher())
    for number, name in enumerate(objects):
        shown = names[number * OF_AN_OBJECT : (number + 1) * OF_AN_OBJECT]
        canvases = tuple(Canvas(image=image) for image in shown)
        publisher.put(PublishedObject(identifier=name, label={"en": (name,)}, canvases=canvases))
    curation = Curation(
        register=service.register, masters=service.masters, outcomes=service.outcomes
    )
    for name in names[7::20]:
        curation.withdraw(name, "Rights are being cleared.")
    renamed = {name: f"{name} (recto)" for name in names[3::20]}
    for old, new in renamed.items():
        curation.rename(old, new)
    deadline = time.monotonic() + LIMIT_SECONDS + _MASTER_SECONDS * len(renamed)
    while len(service.identifiers.get_many(renamed.values())) < len(renamed):
        if time.monotonic() > deadline:
            raise TimeoutError("not every image was renamed")
        time.sleep(0.5)
    return list(renamed.values())


def _wait_until_ended(running: Instance, masters: int) -> None:
    def ended() -> list[Outcome]:
        states = ("published", "rejected", "failed")
        return [one for state in states for one in running.service.outcomes.by_state(state, 10**6)]

    deadline = time.monotonic() + LIMIT_SECONDS + _MASTER_SECONDS * masters
    while len(ended()) < masters:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{masters - len(ended()):,} masters did not end")
        time.sleep(0.5)


@contextmanager
def _start_service(directory: Path) -> Iterator[_Service]:
    with start_instance(directory) as running:
        formation = running.access.client("cloudformation")
        outputs: dict[str, str] = {}
        for stack in ("store", "identify"):
            outputs |= stack_outputs(formation, f"vitrine-{STAGE}-{stack}")
        yield _Service(running, outputs)
