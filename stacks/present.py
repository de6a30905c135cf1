"""Present: the gallery of published images."""

from dataclasses import asdict

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.lambda_layers import PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.constructs.work_queue import WorkQueue
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.stage import StageStack
from stacks.store import StoreStack
from vitrine.events import SOURCE, ImageChanged, ImagePublished, ImageWithdrawn
from vitrine.settings import PresentSettings
from vitrine.store.layout import GALLERY_KEY

PARALLEL = 2
"""Least concurrency that Lambda allows for a queue's worker; each run writes the whole list."""


class PresentStack(StageStack):
    """Published, withdrawn and redirected images -> queue -> the list in the site bucket."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        store: StoreStack,
        identify: IdentifyStack,
        ingest: IngestStack,
    ) -> None:
        super().__init__(scope, "present", environment=environment)
        gallery = PythonFunction(
            self,
            "update_gallery",
            environment=environment,
            settings=PresentSettings(
                site_bucket=store.site.bucket_name,
                identifiers_table=identify.identifiers.table_name,
                **asdict(environment.present),
            ),
            layers=[PowertoolsLayer(self, "Powertools", architecture=environment.architecture)],
            size=FunctionSize(),
        )
        grants.query_index(identify.identifiers, "by-listing", gallery)
        grants.read_objects(store.site, gallery)
        grants.write_objects(store.site, gallery, GALLERY_KEY)
        published = WorkQueue(
            self, "Published", worker=gallery, parallel=PARALLEL, alarms=ingest.alarms
        )
        self._fill_from_events(published, environment.event_bus)

    def _fill_from_events(self, published: WorkQueue, event_bus: str) -> None:
        bus = events.EventBus.from_event_bus_name(self, "Bus", event_bus)
        published.fill_from(
            events.Rule(
                self,
                "ImageChanged",
                description="An image is live, shows a new version, or was withdrawn.",
                event_bus=bus,
                event_pattern=events.EventPattern(
                    source=[SOURCE], detail_type=[ImagePublished.name(), ImageWithdrawn.name()]
                ),
            )
        )
        published.fill_from(
            events.Rule(
                self,
                "ImageRedirected",
                description="An identifier that was an image or a tombstone is a redirect now.",
                event_bus=bus,
                event_pattern=events.EventPattern(
                    source=[SOURCE],
                    detail_type=[ImageChanged.name()],
                    # Not the first change: a million imported redirects were never in the gallery.
                    detail={"state": ["redirect"], "revision": events.Match.greater_than(1)},
                ),
            )
        )
