"""All stacks of an environment, in flow order."""

import json

import aws_cdk as cdk
from constructs import Construct

from stacks.api import ApiStack
from stacks.backup import BackupStack
from stacks.constructs.network import Network
from stacks.curate import CurateStack
from stacks.deliver import DeliverStack
from stacks.delivery import DeliveryStack
from stacks.edge import EdgeStack
from stacks.environments import Environment
from stacks.firewall import FirewallStack
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.migrate import MigrateStack
from stacks.network import NetworkStack
from stacks.observe import ObserveStack
from stacks.present import PresentStack
from stacks.replica import ReplicaStack
from stacks.stage import GLOBAL_REGION, REPOSITORY
from stacks.store import StoreStack
from stacks.watch_edge import WatchEdgeStack


def add_stacks(scope: Construct, environment: Environment) -> None:
    """Add store -> identify -> ingest -> deliver -> edge -> present -> api -> migrate -> curate.

    The network, which tasks of ingest and deliver share, comes before them; observe, which looks
    at all of them, comes last. Raises LayerMissing.
    """
    store, identify = _add_storage(scope, environment)
    network = _add_network(scope, environment, store, identify)
    ingest = IngestStack(
        scope, environment=environment, network=network, store=store, identify=identify
    )
    deliver = DeliverStack(
        scope, environment=environment, network=network, store=store, identify=identify
    )
    edge = EdgeStack(
        scope,
        environment=environment,
        store=store,
        deliver=deliver,
        ingest=ingest,
        firewall=_add_firewall(scope, environment),
    )
    present = PresentStack(
        scope, environment=environment, store=store, identify=identify, ingest=ingest, edge=edge
    )
    api = _add_api(scope, environment, store, identify, ingest, present)
    if api and environment.api and environment.desk and environment.desk.client:
        edge.serve_desk(
            environment.desk, issuer=environment.api.issuer, api=api.api, masters=store.masters
        )
    migrate = MigrateStack(
        scope, environment=environment, store=store, identify=identify, ingest=ingest
    )
    CurateStack(
        scope,
        environment=environment,
        store=store,
        identify=identify,
        ingest=ingest,
        migrate=migrate,
        api=api,
    )
    ObserveStack(
        scope,
        environment=environment,
        ingest=ingest,
        deliver=deliver,
        edge=edge,
        present=present,
        identify=identify,
    )
    WatchEdgeStack(
        scope, environment=environment, distribution=edge.distribution, alarms=ingest.alarms
    )
    if environment.github_repository:
        DeliveryStack(scope, environment=environment, repository=environment.github_repository)


def _add_storage(scope: Construct, environment: Environment) -> tuple[StoreStack, IdentifyStack]:
    """Add what is never lost, and its copies in another region and in a vault."""
    copies, kept = environment.replica, environment.backup
    replica = ReplicaStack(scope, environment=environment, replica=copies) if copies else None
    store = StoreStack(scope, environment=environment, replica=replica)
    identify = IdentifyStack(scope, environment=environment)
    if kept:
        BackupStack(scope, environment=environment, kept=kept, store=store, identify=identify)
    return store, identify


def _add_api(
    scope: Construct,
    environment: Environment,
    store: StoreStack,
    identify: IdentifyStack,
    ingest: IngestStack,
    present: PresentStack,
) -> ApiStack | None:
    if not environment.api:
        return None
    return ApiStack(
        scope,
        environment=environment,
        access=environment.api,
        store=store,
        identify=identify,
        ingest=ingest,
        present=present,
    )


def _add_network(
    scope: Construct, environment: Environment, store: StoreStack, identify: IdentifyStack
) -> Network | None:
    if not environment.needs_network:
        return None
    return NetworkStack(scope, environment=environment, store=store, identify=identify).network


def _add_firewall(scope: Construct, environment: Environment) -> FirewallStack | None:
    """Add the web ACL in the one region where CloudFront takes it, if that is another one."""
    if not environment.web_acl or environment.region == GLOBAL_REGION:
        return None
    return FirewallStack(scope, environment=environment)


def feature_flags() -> dict[str, object]:
    """Return the context of cdk.json, which only the CDK's command line reads by itself."""
    context: dict[str, object] = json.loads((REPOSITORY / "cdk.json").read_text())["context"]
    return context


def new_app(**options: object) -> cdk.App:
    """Return an app that makes the same templates with and without the CDK's command line."""
    return cdk.App(context=feature_flags(), analytics_reporting=False, **options)  # type: ignore[arg-type]
