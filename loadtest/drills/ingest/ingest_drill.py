"""The drill: upload, delete, duplicate, delay, refuse, cut, kill; then settle, audit, redrive."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from loadtest.drills.ingest.curators import Curators
from loadtest.drills.ingest.disruptions import Disruption, list_disruptions
from loadtest.drills.ingest.drill_audit import (
    End,
    Promise,
    check_promises,
    count_ends,
    read_findings,
)
from loadtest.drills.ingest.drill_ledger import DrillLedger, KeyHistory
from loadtest.drills.ingest.drill_options import DrillOptions
from loadtest.drills.ingest.drill_plan import DrillPlan, make_plan
from loadtest.drills.ingest.drilled_service import DrilledService, drilled_service
from loadtest.drills.ingest.event_courier import Courier
from loadtest.drills.ingest.gateway_answers import check_gateway
from loadtest.drills.ingest.lambda_killer import Killer
from loadtest.drills.ingest.settling import ServiceWatch, await_settled
from loadtest.drills.ingest.stored_state import Truth
from vitrine.bootstrap.deployed_services import deployed_reconcile_services
from vitrine.ingest.repair.reconciler import walk_through
from vitrine.local.progress import Progress

_LOOK_SECONDS = 0.2
_REDRIVES = 3

Say = Callable[[str], None]


@dataclass(frozen=True)
class _Drill:
    orders: DrillOptions
    service: DrilledService
    truth: Truth
    ledger: DrillLedger
    courier: Courier
    killer: Killer
    curators: Curators
    watch: ServiceWatch
    say: Say


def measure_ingest(orders: DrillOptions, directory: Path, say: Say) -> dict[str, Any]:
    """Run the drill on a service of its own in `directory`; return what it did and found as JSON.

    Raises what starting the service raises, and TimeoutError when something does not end.
    """
    say(f"making {orders.masters:,} masters")
    plan = make_plan(orders.masters, orders.seed)
    with drilled_service(directory, orders.seed, Progress(), keep=orders.keep) as service:
        drill = _prepare_drill(orders, plan, service, say)
        begun = time.monotonic()
        brought = _play_drill(drill)
        settled = _settle_drill(drill, drill.courier)
        drill.courier.stop()
        say(f"settled after {time.monotonic() - begun:.0f} s")
        done = {
            "orders": asdict(orders),
            "roles": dict(Counter(plan.roles.values())),
            "uploads_and_deletes": sum(len(item.masters) for item in drill.ledger.histories()),
            "events": dict(drill.courier.counts),
            "lambdas_killed": dict(drill.killer.killed),
            "disruptions": brought,
            "calls": service.fault_counts(),
            "settled_after_the_last_act_seconds": settled,
        }
        judged = _judge_service(drill)
        drill.watch.stop()
    return done | judged | {"samples": drill.watch.samples}


def broken_promises(figures: dict[str, Any]) -> list[str]:
    """Return a sentence for each broken promise."""
    return [
        f"{when}: {promise['promise']}: {len(promise['broken'])} of {promise['checked']} not so"
        for when in ("settled", "at the end")
        for promise in figures[when]["promises"]
        if promise["broken"]
    ]


def _prepare_drill(
    orders: DrillOptions, plan: DrillPlan, service: DrilledService, say: Say
) -> _Drill:
    truth, ledger = Truth(service.access), DrillLedger()
    courier = Courier(
        service.access,
        truth.uploads_queue_url,
        percent=orders.event_percent,
        latest=orders.latest_seconds,
        seed=orders.seed,
    )
    courier.install()
    if orders.hidden_seconds is not None:
        truth.hide_messages_for(orders.hidden_seconds)
    service.save()
    curators = Curators(plan, ledger, truth, service.faulty_access)
    watch = ServiceWatch(service, truth, lambda: curators.done)
    killer = Killer(
        service,
        lambda: watch.ended / orders.masters,
        limit=orders.kills,
        until=orders.kills_until,
        seed=orders.seed,
    )
    return _Drill(orders, service, truth, ledger, courier, killer, curators, watch, say)


def _play_drill(drill: _Drill) -> list[dict[str, Any]]:
    """Everything that is done to the service; which disruptions came when."""
    drill.service.set_fault_percent(drill.orders.fault_percent)
    for actor in (drill.watch, drill.courier, drill.killer, drill.curators):
        actor.start()
    try:
        brought = _bring_disruptions(drill)
        drill.curators.join()
        return brought
    finally:
        drill.curators.stop()
        drill.killer.stop()


def _bring_disruptions(drill: _Drill) -> list[dict[str, Any]]:
    """Until all were brought, all Lambdas killed that should be, and the curators went home."""
    coming = list_disruptions(drill.orders, drill.service)
    brought: list[dict[str, Any]] = []
    deadline = time.monotonic() + drill.orders.settle_seconds
    while coming or not drill.killer.finished or not drill.curators.finished:
        if coming and drill.watch.ended >= coming[0].share * drill.orders.masters:
            brought.append(_bring_disruption(drill, coming.pop(0)))
        if time.monotonic() > deadline:
            raise TimeoutError(f"too little has ended: {drill.watch.latest_line()}")
        time.sleep(_LOOK_SECONDS)
    return brought


def _bring_disruption(drill: _Drill, trouble: Disruption) -> dict[str, Any]:
    drill.say(f"{drill.watch.latest_line()}: {trouble.name}")
    drill.watch.mark(trouble.name)
    begun = time.monotonic()
    trouble.bring()
    return {"trouble": trouble.name, "seconds": round(time.monotonic() - begun, 1)}


def _settle_drill(drill: _Drill, courier: Courier | None = None) -> float:
    histories = drill.ledger.histories()

    def all_have_ended() -> bool:
        return End.LOST not in count_ends(read_findings(drill.truth, histories), histories)

    return await_settled(drill.truth, courier, drill.orders.settle_seconds, all_have_ended)


def _judge_service(drill: _Drill) -> dict[str, Any]:
    """Audit without faults, redrive all failures, let the reconciler walk, and audit again."""
    drill.service.set_fault_percent(0)
    histories = drill.ledger.histories()
    first = _audit_service(drill, histories)
    drill.say(f"settled: {_summarise_audit(first)}")
    redriven = [_redrive_failures(drill) for _ in range(_REDRIVES)]
    walked = _walk_reconciler(drill)
    last = _audit_service(drill, histories)
    promise = Promise("nothing that was redriven failed again")
    promise.check("failures", f"{last['ends'].get(End.FAILED)} left" * (End.FAILED in last["ends"]))
    answered = check_gateway(
        drill.service.origin_url, read_findings(drill.truth, histories).records, histories
    )
    last["promises"] += [promise.as_json(), answered.as_json()]
    drill.say(f"at the end: {_summarise_audit(last)}")
    # An access master that a killed Lambda left is the reconciler's to find.
    first["promises"] = [item for item in first["promises"] if "orphan" not in item["promise"]]
    return {"settled": first, "redriven": redriven, "reconciled": walked, "at the end": last}


def _audit_service(drill: _Drill, histories: Sequence[KeyHistory]) -> dict[str, Any]:
    found = read_findings(drill.truth, histories)
    failed = Counter(
        outcome.code for outcome in found.outcomes.values() if outcome.state == "failed"
    )
    return {
        "ends": dict(count_ends(found, histories)),
        "failed_by_code": dict(failed),
        "promises": [item.as_json() for item in check_promises(drill.truth, found, histories)],
    }


def _redrive_failures(drill: _Drill) -> int:
    """Redrive as `vitrine failures redrive --all` does; return the number of failures."""
    services = drill.truth.failures
    failures = services.take()
    redrivable = [failure for failure in failures if failure.redrivable]
    for failure in redrivable:
        services.redrive(failure)
    services.give_back([failure for failure in failures if not failure.redrivable])
    _settle_drill(drill)
    return len(redrivable)


def _walk_reconciler(drill: _Drill) -> dict[str, int]:
    """Run the reconciler's next scheduled walk as if the longest execution had passed."""
    services = deployed_reconcile_services()
    later = datetime.now(UTC) + timedelta(seconds=services.execution_timeout_seconds)
    counts = walk_through(services, services.rules(later), wait=lambda: False)
    _settle_drill(drill)
    return dict(counts)


def _summarise_audit(audit: dict[str, Any]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(audit["ends"].items()))
