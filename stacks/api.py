"""Api: the door for programs, an HTTP API in front of one Lambda."""

from dataclasses import asdict

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import PERIOD, alarm_when_any
from stacks.constructs.http_door import HttpDoor
from stacks.constructs.lambda_layers import ApiLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.environment_values import Api
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.ingest_settings import largest_master_mebibytes
from stacks.present import PresentStack
from stacks.stage import StageStack, let_go
from stacks.store import StoreStack
from vitrine.settings.departments import encode_departments
from vitrine.settings.present import ApiSettings
from vitrine.store.layout import (
    COLLECTION_RULES,
    OBJECTS,
    OWNERS,
    PHOTO_FORM_KEYS,
    READINGS,
    REQUESTS,
    TEXTS,
    TICKET_KEYS,
)

ANSWERER = "answer_request"
"""The step that imports what cleans texts; only its function has that layer."""


class ApiStack(StageStack):
    """The gateway, which lets in signatures or tokens, and the Lambda behind it."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        access: Api,
        store: StoreStack,
        identify: IdentifyStack,
        ingest: IngestStack,
        present: PresentStack,
    ) -> None:
        super().__init__(scope, "api", environment=environment, reads_weakly=True)
        answerer = PythonFunction(
            self,
            ANSWERER,
            environment=environment,
            settings=ApiSettings(
                **asdict(present.publish_settings),
                masters_bucket=store.masters.bucket_name,
                outcomes_table=identify.outcomes.table_name,
                maximum_master_mebibytes=largest_master_mebibytes(environment),
                maximum_photo_mebibytes=environment.most_photo_mebibytes,
                departments=encode_departments(environment.departments),
                text_proposals_address=environment.text_proposals or "",
            ),
            layers=[
                PowertoolsLayer(self, "Powertools", architecture=environment.architecture),
                ApiLayer(self, "Cleaning", architecture=environment.architecture),
            ],
            size=FunctionSize(memory_mebibytes=1_024),
        )
        bus = events.EventBus.from_event_bus_name(self, "Bus", environment.event_bus)
        _grant(answerer, store, identify, bus)
        if environment.photos:
            grants.read_objects(store.records, answerer, PHOTO_FORM_KEYS)
            grants.write_objects(store.records, answerer, PHOTO_FORM_KEYS)
        if environment.departments:
            # An upload for a department notes that its collection owns masters.
            grants.read_objects(store.records, answerer, f"{OWNERS}*")
            grants.write_objects(store.records, answerer, f"{OWNERS}*")
        door = HttpDoor(self, "Door", environment=environment, access=access, answerer=answerer)
        self.api = door.api
        let_go(self.api)  # the desk's policy at the edge names it
        alarm_when_any(
            self,
            "Errors",
            metric=door.api.metric_server_error(period=PERIOD, statistic="Sum"),
            topic=ingest.alarms,
            sentence="The API answered 5xx: a call failed by a fault of ours.",
            runbook="the-api-answers-5xx",
        )
        self.publish_outputs(
            {
                "ApiId": door.api.api_id,
                "ApiAccess": access.access,
                **_describe_desk(environment, access),
            }
        )


def _describe_desk(environment: Environment, access: Api) -> dict[str, str]:
    """Return the outputs of which the configuration of the desk is made; none without one."""
    if not (environment.desk and environment.desk.client):
        return {}
    members = {one for item in environment.departments.values() for one in item.members}
    # A department's members are scopes, next to the roles of its programs.
    scopes = sorted(one for one in members if not one.startswith("arn:"))
    return {
        "DeskClient": environment.desk.client,
        "DeskIssuer": access.issuer,
        "DeskScope": " ".join(["openid", access.read_scope, access.write_scope, *scopes]),
    }


def _grant(
    answerer: PythonFunction, store: StoreStack, identify: IdentifyStack, bus: events.IEventBus
) -> None:
    """Allow what curators may do by commands, but for deleting a master."""
    grants.change_identifiers(store.records, identify.identifiers, answerer)
    grants.read_many_items(identify.identifiers, answerer)
    grants.query_index(identify.identifiers, "by-target", answerer)
    grants.read_items(identify.outcomes, answerer)
    grants.query_index(identify.outcomes, "by-state", answerer)
    for keys in (OBJECTS, REQUESTS):
        grants.read_objects(store.records, answerer, f"{keys}*")
        grants.write_objects(store.records, answerer, f"{keys}*")
    grants.read_objects(store.records, answerer, f"{TEXTS}*")
    grants.read_objects(store.records, answerer, TICKET_KEYS)
    grants.read_objects(store.records, answerer, COLLECTION_RULES)
    grants.write_objects(store.records, answerer, COLLECTION_RULES)
    grants.write_objects(store.records, answerer, f"{READINGS}*")
    grants.write_statements(identify.catalogue, answerer)
    grants.write_publications(store.site, answerer)
    grants.replace_masters(store.masters, answerer)
    grants.list_upload_parts(store.masters, answerer)
    grants.put_events(bus, answerer)
