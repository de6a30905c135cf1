"""The part of the present stack that keeps both searches, by titles and in texts, up to date."""

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import AlarmTopic
from stacks.constructs.lambda_layers import DocumentsLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.constructs.work_queue import Batching, WorkQueue
from stacks.environments import Environment
from stacks.store import StoreStack
from vitrine.events import ObjectChanged
from vitrine.settings.present import SiteSettings
from vitrine.site.discovery.activities import ACTIVITY_TYPES
from vitrine.site.pages.strings import LANGUAGES
from vitrine.store.layout import INSIDE, PUBLICATIONS
from vitrine.store.site_layout import (
    BROWSE_PAGES,
    FULL_TEXT,
    MAP_PAGE,
    OMISSIONS,
    SEARCH_INDEX,
    SEARCH_PAGE,
    SEARCH_STATE,
    STORED_THEME,
    browse_page_key,
    static_page_key,
)

SEARCHER = "update_search"
"""A step that imports what reads documents and writes pages."""
SIZE = FunctionSize(memory_mebibytes=1_769, timeout_seconds=900, disk_mebibytes=4_096)
"""One vCPU; on the disk, the index of a million objects while it is made: some 2.5 kB of each."""
TOGETHER = Batching(messages=1_000, window_seconds=120)
"""Each run lists everything that is published: one for all changes of two minutes."""
PARALLEL = 2
"""Least concurrency that Lambda allows for a queue's worker; of two, one waits for the other."""


def update_search(
    scope: Construct,
    *,
    environment: Environment,
    settings: SiteSettings,
    powertools: PowertoolsLayer,
    documents: DocumentsLayer,
    store: StoreStack,
    bus: events.IEventBus,
    alarms: AlarmTopic,
) -> PythonFunction:
    """Make the Lambda, and the queue by which it hears of changes."""
    searcher = PythonFunction(
        scope,
        SEARCHER,
        environment=environment,
        settings=settings,
        layers=[powertools, documents],
        size=SIZE,
    )
    grants.list_versions(store.site, searcher)
    # The indexes of the texts of objects, and that of all of them, which is below them.
    # The state is there as well.
    for keys in (f"{PUBLICATIONS}*", f"{INSIDE}*", STORED_THEME):
        grants.read_objects(store.site, searcher, keys)
    # What is downloaded in parts is read by its version.
    for keys in (f"{SEARCH_STATE}*", f"{FULL_TEXT}*"):
        grants.read_versions(store.site, searcher, keys)
    languages = ("", *LANGUAGES)
    pages = [static_page_key(one, each) for one in (SEARCH_PAGE, MAP_PAGE) for each in languages]
    pages.append(browse_page_key())
    folders = (SEARCH_INDEX, SEARCH_STATE, BROWSE_PAGES, FULL_TEXT, OMISSIONS)
    for keys in (*pages, *(f"{folder}*" for folder in folders)):
        grants.write_objects(store.site, searcher, keys)
    WorkQueue(
        scope, "Searched", worker=searcher, parallel=PARALLEL, alarms=alarms, batching=TOGETHER
    ).receive(
        "ObjectSearched",
        ObjectChanged.name(),
        bus=bus,
        description="A manifest or collection was made, changed, moved or deleted.",
        detail={"change": list(ACTIVITY_TYPES)},
    )
    return searcher
