"""Present: the gallery of published images, the manifests of objects, and their changes."""

from dataclasses import asdict

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.lambda_layers import DocumentsLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.constructs.work_queue import Batching, WorkQueue
from stacks.edge import EdgeStack
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.stage import StageStack
from stacks.store import StoreStack
from vitrine.events import SOURCE, ImageChanged, ImagePublished, ImageWithdrawn, ObjectChanged
from vitrine.present.discovery.activities import ACTIVITY_TYPES
from vitrine.settings import DiscoverySettings, PresentSettings, PublishSettings
from vitrine.store.layout import CHANGES, CHANGES_PAGES, GALLERY_KEY, OBJECTS, PUBLICATIONS

PUBLISHER = "publish_objects"
"""The step that imports what writes documents; only its function has that layer."""
IMAGES_AT_ONCE = 200
"""Changed images whose objects are published by one run: a collection that shows many of them is
published once for all."""
PARALLEL = 2
"""Least concurrency that Lambda allows for a queue's worker; each run writes the whole list."""


class PresentStack(StageStack):
    """Published, withdrawn and redirected images -> queues -> the list and manifests in the site.

    The edge has to be there first: manifests name it.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        store: StoreStack,
        identify: IdentifyStack,
        ingest: IngestStack,
        edge: EdgeStack,
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
        bus = events.EventBus.from_event_bus_name(self, "Bus", environment.event_bus)
        self._fill_from_events(published, bus)
        self.publish_settings = settings = PublishSettings(
            site_bucket=store.site.bucket_name,
            records_bucket=store.records.bucket_name,
            identifiers_table=identify.identifiers.table_name,
            event_bus=environment.event_bus,
            public_base_url=environment.public_base_url
            or f"https://{edge.distribution.distribution_domain_name}",
            maximum_output_pixels=environment.deliver.maximum_output_pixels,
            rights_uri=environment.deliver.rights_uri,
            crawlers=environment.present.crawlers,
        )
        self._publish_objects(environment, settings, store, identify, ingest, bus)
        self._record_changes(
            environment,
            DiscoverySettings(
                site_bucket=settings.site_bucket, public_base_url=settings.public_base_url
            ),
            store,
            ingest,
            bus,
        )

    def _publish_objects(
        self,
        environment: Environment,
        settings: PublishSettings,
        store: StoreStack,
        identify: IdentifyStack,
        ingest: IngestStack,
        bus: events.IEventBus,
    ) -> None:
        """Have an image's changes reach the manifests that show it."""
        publisher = PythonFunction(
            self,
            PUBLISHER,
            environment=environment,
            settings=settings,
            layers=[
                PowertoolsLayer(self, "PublisherPowertools", architecture=environment.architecture),
                DocumentsLayer(self, "Documents", architecture=environment.architecture),
            ],
            size=FunctionSize(memory_mebibytes=1_024, timeout_seconds=300),
        )
        grants.read_objects(store.records, publisher, f"{OBJECTS}*")
        grants.list_versions(store.records, publisher)
        grants.read_objects(store.site, publisher, f"{PUBLICATIONS}*")
        grants.write_objects(store.site, publisher, f"{PUBLICATIONS}*")
        grants.read_many_items(identify.identifiers, publisher)
        grants.put_events(bus, publisher)
        changed = WorkQueue(
            self,
            "Shown",
            worker=publisher,
            parallel=PARALLEL,
            alarms=ingest.alarms,
            batching=Batching(messages=IMAGES_AT_ONCE, window_seconds=5),
        )
        changed.fill_from(
            events.Rule(
                self,
                "ShownImageChanged",
                description="An image that manifests may show is live, withdrawn or renamed.",
                event_bus=bus,
                event_pattern=events.EventPattern(
                    source=[SOURCE],
                    detail_type=[ImageChanged.name()],
                    # No object shows an identifier that began as a redirect, of which a million
                    # may be imported.
                    detail={
                        "$or": [
                            {"state": ["live", "gone", "removed"]},
                            {"revision": events.Match.greater_than(1)},
                        ]
                    },
                ),
            )
        )
        self.publish_outputs({"PublishObjectsFunctionName": publisher.function_name})

    def _record_changes(
        self,
        environment: Environment,
        settings: DiscoverySettings,
        store: StoreStack,
        ingest: IngestStack,
        bus: events.IEventBus,
    ) -> None:
        """Have what changes for harvesters join the stream of changes."""
        recorder = PythonFunction(
            self,
            "record_changes",
            environment=environment,
            settings=settings,
            layers=[
                PowertoolsLayer(self, "RecorderPowertools", architecture=environment.architecture)
            ],
            size=FunctionSize(),
        )
        for keys in (CHANGES, f"{CHANGES_PAGES}*"):
            grants.read_objects(store.site, recorder, keys)
            grants.write_objects(store.site, recorder, keys)
        changed = WorkQueue(
            self,
            "Changed",
            worker=recorder,
            parallel=PARALLEL,
            alarms=ingest.alarms,
            # Each run writes the last page again, of two hundred changes.
            batching=Batching(messages=IMAGES_AT_ONCE, window_seconds=5),
        )
        changed.fill_from(
            events.Rule(
                self,
                "ObjectChanged",
                description="A manifest or collection was made, changed, moved or deleted.",
                event_bus=bus,
                event_pattern=events.EventPattern(
                    source=[SOURCE],
                    detail_type=[ObjectChanged.name()],
                    detail={"change": list(ACTIVITY_TYPES)},
                ),
            )
        )

    def _fill_from_events(self, published: WorkQueue, bus: events.IEventBus) -> None:
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
