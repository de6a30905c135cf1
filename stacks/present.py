"""Present: the gallery of published images, the manifests of objects, and their changes."""

from dataclasses import asdict

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.lambda_layers import DocumentsLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.constructs.work_queue import Batching, WorkQueue
from stacks.count_visits import count_visits
from stacks.edge import EdgeStack
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.read_pages import read_pages
from stacks.stage import StageStack
from stacks.store import StoreStack
from stacks.update_collections import update_collections
from stacks.update_search import update_search
from stacks.write_dumps import write_dumps
from vitrine.catalogue.outdated_pages import CHANGES_OF_LISTS
from vitrine.events import (
    ImageChanged,
    ImagePublished,
    ImageWithdrawn,
    ObjectChanged,
    PagesOutdated,
    RulesChanged,
)
from vitrine.settings.present import PresentSettings, PublishSettings, SiteSettings
from vitrine.site.discovery.activities import ACTIVITY_TYPES
from vitrine.store.layout import (
    CHANGES,
    CHANGES_PAGES,
    COLLECTION_RULES,
    GALLERY_KEY,
    OBJECTS,
    TEXTS,
)
from vitrine.store.site_layout import HOME_PAGE, HOME_PAGES, OMISSIONS

PUBLISHER, LISTER = "publish_objects", "update_gallery"
"""The steps that import what writes documents and pages."""
MANY_AT_ONCE = Batching(messages=200, window_seconds=5)
"""A collection that shows many changed images is published once for all of them, and the last page
of changes, which has two hundred, is written once."""
AFTER_THE_WRITE = Batching(messages=200, window_seconds=3, delay_seconds=2)
"""The same, later: a publisher announces an object right before its last write, and what reads it
before that write would not list it until its next change."""
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
        self._environment = environment
        self._alarms = ingest.alarms
        self._bus = events.EventBus.from_event_bus_name(self, "Bus", environment.event_bus)
        self._powertools = PowertoolsLayer(
            self, "Powertools", architecture=environment.architecture
        )
        self._documents = DocumentsLayer(self, "Documents", architecture=environment.architecture)
        self.publish_settings = self._settings_of_publication(store, identify, edge)
        self._list_images(store, identify)
        self._publish_objects(store, identify)
        self._follow_publications(store)
        count_visits(
            self,
            environment=environment,
            powertools=self._powertools,
            store=store,
            identify=identify,
            edge=edge,
        )
        update_collections(
            self,
            environment=environment,
            settings=self.publish_settings,
            powertools=self._powertools,
            store=store,
            identify=identify,
            bus=self._bus,
            alarms=self._alarms,
        )

    def _follow_publications(self, store: StoreStack) -> None:
        """Have what is published reach the stream of changes, the dumps and the search."""
        settings = SiteSettings(
            site_bucket=store.site.bucket_name,
            public_base_url=self.publish_settings.public_base_url,
        )
        self._record_changes(store, settings)
        write_dumps(
            self,
            environment=self._environment,
            settings=settings,
            powertools=self._powertools,
            documents=self._documents,
            store=store,
            alarms=self._alarms,
        )
        update_search(
            self,
            environment=self._environment,
            settings=settings,
            powertools=self._powertools,
            documents=self._documents,
            store=store,
            bus=self._bus,
            alarms=self._alarms,
        )

    def _settings_of_publication(
        self, store: StoreStack, identify: IdentifyStack, edge: EdgeStack
    ) -> PublishSettings:
        environment = self._environment
        return PublishSettings(
            site_bucket=store.site.bucket_name,
            records_bucket=store.records.bucket_name,
            identifiers_table=identify.identifiers.table_name,
            catalogue_table=identify.catalogue.table_name,
            event_bus=environment.event_bus,
            public_base_url=environment.public_base_url
            or f"https://{edge.distribution.distribution_domain_name}",
            maximum_output_pixels=environment.deliver.maximum_output_pixels,
            downloads_at_once=environment.downloads_at_once,
            rights_uri=environment.deliver.rights_uri,
            crawlers=environment.present.crawlers,
            content_usage=environment.deliver.content_usage,
            ocr_languages=environment.ocr.languages if environment.ocr else "",
        )

    def _list_images(self, store: StoreStack, identify: IdentifyStack) -> None:
        """Have what is published and withdrawn change the first page, and the list behind it."""
        gallery = PythonFunction(
            self,
            LISTER,
            environment=self._environment,
            settings=PresentSettings(
                site_bucket=store.site.bucket_name,
                records_bucket=store.records.bucket_name,
                identifiers_table=identify.identifiers.table_name,
                catalogue_table=identify.catalogue.table_name,
                public_base_url=self.publish_settings.public_base_url,
                **asdict(self._environment.present),
            ),
            layers=[self._powertools, self._documents],
            size=FunctionSize(),
        )
        grants.query_index(identify.identifiers, "by-listing", gallery)
        grants.read_objects(store.site, gallery)
        for keys in (GALLERY_KEY, HOME_PAGE, f"{HOME_PAGES}*", f"{OMISSIONS}*"):
            grants.write_objects(store.site, gallery, keys)
        grants.find_redirects(identify.identifiers, gallery)
        grants.look_up_statements(identify.catalogue, gallery)
        grants.read_objects(store.records, gallery, COLLECTION_RULES)
        published = self._queue("Published", gallery, AFTER_THE_WRITE)
        published.receive(
            "ImageChanged",
            ImagePublished.name(),
            ImageWithdrawn.name(),
            bus=self._bus,
            description="An image is live, shows a new version or less, or was withdrawn.",
        )
        published.receive(
            "ImageRedirected",
            ImageChanged.name(),
            bus=self._bus,
            description="An identifier that was an image or a tombstone is a redirect now.",
            # Not the first change: a million imported redirects were never in the gallery.
            detail={"state": ["redirect"], "revision": events.Match.greater_than(1)},
        )
        published.receive(
            "ObjectShown",
            ObjectChanged.name(),
            bus=self._bus,
            description="A manifest or collection was made, changed, moved or deleted.",
            detail={"change": list(ACTIVITY_TYPES)},
        )

    def _publish_objects(self, store: StoreStack, identify: IdentifyStack) -> None:
        """Have an image's changes reach the manifests that show it, and what OCR reads of it."""
        publisher = PythonFunction(
            self,
            PUBLISHER,
            environment=self._environment,
            settings=self.publish_settings,
            layers=[self._powertools, self._documents],
            size=FunctionSize(memory_mebibytes=1_024, timeout_seconds=300),
        )
        self._let_publish(publisher, store, identify)
        shown = self._queue("Shown", publisher, MANY_AT_ONCE)
        shown.receive(
            "PagesOutdated",
            PagesOutdated.name(),
            RulesChanged.name(),
            bus=self._bus,
            description="Pages of others are outdated, or images in a collection have other rules.",
        )
        shown.receive(
            "ListedObjectChanged",
            ObjectChanged.name(),
            bus=self._bus,
            description="An object that collections may list is shown now, or is no longer.",
            detail={"change": list(CHANGES_OF_LISTS)},
        )
        shown.receive(
            "ShownImageChanged",
            ImageChanged.name(),
            bus=self._bus,
            description="An image that manifests may show is live, withdrawn or renamed.",
            # No object shows an identifier that began as a redirect, of which a million may be
            # imported.
            detail={
                "$or": [
                    {"state": ["live", "gone", "removed"]},
                    {"revision": events.Match.greater_than(1)},
                ]
            },
        )
        self.publish_outputs({"PublishObjectsFunctionName": publisher.function_name})
        if self._environment.ocr:
            read_pages(
                self,
                environment=self._environment,
                options=self._environment.ocr,
                store=store,
                identify=identify,
                bus=self._bus,
                alarms=self._alarms,
                shown=shown,
            )

    def _let_publish(
        self, publisher: PythonFunction, store: StoreStack, identify: IdentifyStack
    ) -> None:
        """Allow writing what is published."""
        for keys in (OBJECTS, TEXTS):
            grants.read_objects(store.records, publisher, f"{keys}*")
        grants.list_versions(store.records, publisher)
        grants.write_publications(store.site, publisher)
        grants.read_many_items(identify.identifiers, publisher)
        grants.find_redirects(identify.identifiers, publisher)
        grants.look_up_statements(identify.catalogue, publisher)
        grants.put_events(self._bus, publisher)
        grants.read_objects(store.records, publisher, COLLECTION_RULES)
        grants.read_items(identify.identifiers, publisher)

    def _record_changes(self, store: StoreStack, settings: SiteSettings) -> None:
        """Have what changes for harvesters join the stream of changes."""
        recorder = PythonFunction(
            self,
            "record_changes",
            environment=self._environment,
            settings=settings,
            layers=[self._powertools],
            size=FunctionSize(),
        )
        for keys in (CHANGES, f"{CHANGES_PAGES}*"):
            grants.read_objects(store.site, recorder, keys)
            grants.write_objects(store.site, recorder, keys)
        self._queue("Changed", recorder, MANY_AT_ONCE).receive(
            "ObjectChanged",
            ObjectChanged.name(),
            bus=self._bus,
            description="A manifest or collection was made, changed, moved or deleted.",
            detail={"change": list(ACTIVITY_TYPES)},
        )

    def _queue(self, id_: str, worker: PythonFunction, batching: Batching) -> WorkQueue:
        return WorkQueue(
            self, id_, worker=worker, parallel=PARALLEL, alarms=self._alarms, batching=batching
        )
