"""The environments that come with Vitrine: dev, staging and prod.

`environments.toml` says what is your own about them (account, region, domain, addresses), and
`stacks/own_environments.py` puts the two together. So these stay as they come, and so do the prices
in the documentation, which are theirs.
"""

from collections.abc import Mapping
from dataclasses import replace

from stacks.environment_values import Api
from stacks.environments import Environment
from stacks.sizes import ConverterSize, GiantConverter, ImageTaskSize
from vitrine.settings.ingest import IngestOptions

NEW_ACCOUNT_CONCURRENCY = 10
NEW_ACCOUNT_MEBIBYTES = 3_008

DEV = Environment(
    name="dev",
    region="us-east-1",
    ingest=IngestOptions(withdrawal_grace_seconds=10, maximum_megapixels=10_000),
    image_task=ImageTaskSize(
        cpu_units=512, memory_mebibytes=2048, disk_gibibytes=20, minimum=1, maximum=2
    ),
    small_converter=ConverterSize(memory_mebibytes=1769, disk_mebibytes=1024, at_once=50),
    large_converter=ConverterSize(memory_mebibytes=3008, disk_mebibytes=4096, at_once=25),
    giant_converter=GiantConverter(
        cpu_units=1024,
        memory_mebibytes=8192,
        disk_gibibytes=50,
        at_once=2,
    ),
    endpoint_zones=1,
    glacier_after_days=1,
    noncurrent_days=90,
    reconcile_hours=1,
    log_days=14,
    log_level="DEBUG",
    protected=False,
    api=Api(),
)

STAGING = Environment(
    name="staging",
    region="eu-west-1",
    ingest=IngestOptions(withdrawal_grace_seconds=3_600, maximum_megapixels=20_000),
    image_task=ImageTaskSize(
        cpu_units=1024, memory_mebibytes=4096, disk_gibibytes=40, minimum=1, maximum=4
    ),
    small_converter=ConverterSize(memory_mebibytes=1769, disk_mebibytes=1024, at_once=50),
    large_converter=ConverterSize(memory_mebibytes=8192, disk_mebibytes=10_240, at_once=25),
    giant_converter=GiantConverter(
        cpu_units=2048,
        memory_mebibytes=8192,
        disk_gibibytes=100,
        at_once=2,
    ),
    endpoint_zones=1,
    glacier_after_days=1,
    noncurrent_days=90,
    reconcile_hours=24,
    log_days=30,
    protected=False,
)

PROD = Environment(
    name="prod",
    region="eu-west-1",
    ingest=IngestOptions(
        withdrawal_grace_seconds=86_400, maximum_megapixels=50_000, parallel_starts=5
    ),
    image_task=ImageTaskSize(
        # ADR 0015: what the simulator recommends for a museum and for a union portal, doubled.
        cpu_units=1024,
        memory_mebibytes=4096,
        disk_gibibytes=100,
        minimum=2,
        maximum=12,
    ),
    small_converter=ConverterSize(memory_mebibytes=1769, disk_mebibytes=1024, at_once=400),
    large_converter=ConverterSize(memory_mebibytes=8192, disk_mebibytes=10_240, at_once=200),
    giant_converter=GiantConverter(
        cpu_units=4096,
        memory_mebibytes=16_384,
        disk_gibibytes=200,
        at_once=4,
    ),
    endpoint_zones=2,
    glacier_after_days=1,
    noncurrent_days=365,
    reconcile_hours=24,
    log_days=90,
    protected=True,
)

ENVIRONMENTS: Mapping[str, Environment] = {
    environment.name: environment for environment in (DEV, STAGING, PROD)
}
"""Environments by name, in their order."""


def fit_new_account(environment: Environment) -> Environment:
    """Return the environment within the quotas that Lambda gives an account at first.

    No concurrency is reserved, since all of it is `NEW_ACCOUNT_CONCURRENCY`, and no function has
    more memory than `NEW_ACCOUNT_MEBIBYTES`: what then has no room for a master leaves it to the
    giants' task. (Lambda quotas: "New AWS accounts have reduced concurrency and memory quotas".)
    """
    small, large = [
        replace(
            converter,
            at_once=None,
            memory_mebibytes=min(converter.memory_mebibytes, NEW_ACCOUNT_MEBIBYTES),
        )
        for converter in (environment.small_converter, environment.large_converter)
    ]
    function, door = environment.image_function, environment.photo_function
    return replace(
        environment,
        image_function=replace(function, at_once=None) if function else None,
        photo_function=replace(door, at_once=None) if door else None,
        account_concurrency=NEW_ACCOUNT_CONCURRENCY,
        admit_at_once=None,
        small_converter=small,
        large_converter=large,
    )
