"""The services of a deployed environment, wired as its own Lambdas are, for its operators."""

from dataclasses import dataclass

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.buckets import S3Buckets
from vitrine.adapters.aws.foreign_objects import S3ForeignObjects
from vitrine.adapters.aws.image_tasks import count_tasks
from vitrine.adapters.aws.map_runs import StepFunctionsMapRuns
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.environments import LOCAL, access_to, output, outputs
from vitrine.bootstrap.ingest import wire_ingest_services
from vitrine.bootstrap.invalidation import edge_cache
from vitrine.bootstrap.local_service import NotRunning
from vitrine.bootstrap.publisher import wire_publisher
from vitrine.bootstrap.reconciler import wire_reconcile_services
from vitrine.catalogue.publisher import Publisher
from vitrine.edge.invalidation import InvalidateServices
from vitrine.errors import TransientError
from vitrine.export.services import ExportServices
from vitrine.ingest.repair.reconciler import ReconcileServices
from vitrine.migrate.services import MigrationServices
from vitrine.settings.ingest import IngestSettings
from vitrine.settings.present import PublishSettings
from vitrine.sources.harvest.guarded_http import GuardedHttp, NotHarvested


def deployed_invalidate_services(environment: str = LOCAL) -> InvalidateServices:
    """Return what invalidating an environment's edge takes. Raises NotRunning, TransientError."""
    access, stage = access_to(environment)
    edge = edge_cache(
        access,
        lambda: output(access, stage, "edge", "DistributionId"),
        on_this_machine=environment == LOCAL,
    )
    return InvalidateServices(edge=edge)


def deployed_reconcile_services(environment: str = LOCAL) -> ReconcileServices:
    """Return what reconciling takes, with the settings of the environment's own reconciler.

    Raises NotRunning, TransientError.
    """
    access, stage = access_to(environment)
    name = output(access, stage, "ingest", "ReconcileFunctionName")
    settings = IngestSettings.from_environment(_function_variables(access, name))
    return wire_reconcile_services(settings, access)


def migration_services(environment: str = LOCAL) -> MigrationServices:
    """Return what `vitrine masters migrate` takes, with the settings of the deployed function.

    Raises NotRunning, TransientError.
    """
    access, stage = access_to(environment)
    name = output(access, stage, "migrate", "MigrateFunctionName")
    settings = IngestSettings.from_environment(_function_variables(access, name))
    machine = output(access, stage, "migrate", "MigrationMachineArn")
    return MigrationServices(
        ingest=wire_ingest_services(settings, access),
        masters_bucket=settings.masters_bucket,
        foreign=S3ForeignObjects(access.client("s3"), settings.masters_bucket),
        region=access.client("s3").meta.region_name,
        map_runs=None
        if environment == LOCAL
        else StepFunctionsMapRuns(access.client("stepfunctions"), machine),
    )


def foreign_buckets(environment: str = LOCAL) -> S3Buckets:
    """Return what reads buckets of others with an environment's credentials. Raises NotRunning."""
    access, _ = access_to(environment)
    return S3Buckets(access.client("s3"))


def count_image_tasks(environment: str) -> tuple[int, int]:
    """Return how many image tasks run in an environment on AWS, and how many should.

    Raises NotRunning, TransientError.
    """
    access, stage = access_to(environment)
    names = [output(access, stage, "deliver", name) for name in ("ClusterName", "ServiceName")]
    return count_tasks(access.client("ecs"), *names)


def deployed_publisher(environment: str = LOCAL) -> Publisher:
    """Return what publishing objects takes, with the settings of the environment's own Lambda.

    Raises NotRunning, TransientError.
    """
    access, _ = access_to(environment)
    settings = deployed_publish_settings(environment)
    return wire_publisher(settings, access, on_this_machine=environment == LOCAL)


def deployed_publish_settings(environment: str = LOCAL) -> PublishSettings:
    """Return the settings of the environment's own Lambda that publishes objects.

    Raises NotRunning, TransientError.
    """
    access, stage = access_to(environment)
    name = output(access, stage, "present", "PublishObjectsFunctionName")
    return PublishSettings.from_environment(_function_variables(access, name))


def deployed_export_services(environment: str = LOCAL) -> ExportServices:
    """Return what an export reads from an environment. Raises NotRunning, TransientError."""
    access, stage = access_to(environment)
    publisher, s3 = deployed_publisher(environment), access.client("s3")
    masters, access_masters = (
        S3ObjectStore(s3, output(access, stage, "store", name))
        for name in ("MastersBucketName", "AccessMastersBucketName")
    )
    fetch = GuardedHttp(private_too=True).get

    def render(path: str) -> bytes:
        try:
            return fetch(publisher.presentation.base + path)
        except NotHarvested as error:
            raise TransientError(str(error)) from error

    return ExportServices(
        masters=masters,
        access_masters=access_masters,
        records=publisher.records,
        site=publisher.site,
        identifiers=publisher.identifiers,
        catalogue=publisher.catalogue,
        presentation=publisher.presentation,
        render=render,
    )


@dataclass(frozen=True, kw_only=True)
class ApiDoor:
    """Where the API of an environment is, and how one is let in."""

    address: str
    """Without a slash at its end."""
    access: str
    """`iam` or `jwt`."""
    region: str
    """Region that signatures name."""


def api_door(environment: str = LOCAL) -> ApiDoor:
    """Return the door of an environment's API. Raises NotRunning, TransientError."""
    access, stage = access_to(environment)
    if not outputs(access, stage, "api"):
        raise NotRunning(
            f"{environment} has no API: write [{environment}.api] into environments.toml, and "
            "deploy it."
        )
    api = output(access, stage, "api", "ApiId")
    region = str(access.client("s3").meta.region_name)
    address = f"https://{api}.execute-api.{region}.amazonaws.com"
    if access.endpoint_url:
        address = f"{access.endpoint_url}/_aws/execute-api/{api}"
    return ApiDoor(address=address, access=output(access, stage, "api", "ApiAccess"), region=region)


def deployed_desk(environment: str = LOCAL) -> dict[str, str] | None:
    """Return the configuration of an environment's desk, None if it has none.

    On one machine the edge passes the API on, and nobody signs in. Raises NotRunning,
    TransientError.
    """
    if environment == LOCAL:
        return {"api": "/api"}
    access, stage = access_to(environment)
    found = outputs(access, stage, "api")
    if "DeskClient" not in found:
        return None
    return {
        "api": api_door(environment).address,
        "issuer": found["DeskIssuer"],
        "client": found["DeskClient"],
        "scope": found["DeskScope"],
    }


def has_access_services(environment: str = LOCAL) -> bool:
    """Return True if an environment lets people in to restricted images. Raises TransientError."""
    access, stage = access_to(environment)
    return "AuthorizationFunctionUrl" in outputs(access, stage, "deliver")


def has_mcp(environment: str = LOCAL) -> bool:
    """Return True if an environment answers programs that speak MCP. Raises TransientError."""
    access, stage = access_to(environment)
    return "McpApiId" in outputs(access, stage, "deliver")


def _function_variables(access: AwsAccess, function_name: str) -> dict[str, str]:
    function = access.client("lambda").get_function_configuration(FunctionName=function_name)
    variables: dict[str, str] = function["Environment"]["Variables"]
    return variables
