"""Settings of the pipeline's processes, from the environment and what is deployed."""

from dataclasses import asdict

from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.store import StoreStack
from vitrine.edge.invalidation import switch_seconds
from vitrine.settings.ingest import IngestSettings


def ingest_settings(
    environment: Environment, store: StoreStack, identify: IdentifyStack, **wiring: str | int
) -> IngestSettings:
    """Return the settings; `wiring` is what only some of the processes know."""
    values = {
        "masters_bucket": store.masters.bucket_name,
        "access_masters_bucket": store.access_masters.bucket_name,
        "records_bucket": store.records.bucket_name,
        "identifiers_table": identify.identifiers.table_name,
        "outcomes_table": identify.outcomes.table_name,
        "event_bus": environment.event_bus,
        "executions_at_once": environment.executions_at_once,
        "switch_seconds": switch_seconds(environment.deliver.identifier_ttl_seconds),
        **asdict(environment.ingest),
        **_converter_limits(environment),
        **wiring,
    }
    return IngestSettings(**values)


def largest_master_mebibytes(environment: Environment) -> int:
    """Return the size of the largest master: with it, a converter's disk is full."""
    largest = environment.giant_converter or environment.large_converter
    return largest.usable_disk_mebibytes


def _converter_limits(environment: Environment) -> dict[str, int]:
    """Return the settings that say what the largest converter has room for."""
    giant = environment.giant_converter
    largest = giant or environment.large_converter
    return {
        "maximum_master_mebibytes": largest_master_mebibytes(environment),
        "maximum_memory_mebibytes": largest.usable_memory_mebibytes,
        "maximum_disk_mebibytes": largest.usable_disk_mebibytes,
        "giants_at_once": giant.at_once if giant else 0,
    }
