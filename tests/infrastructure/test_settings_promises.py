"""Every setting that an operator may choose goes from the environment to the processes."""

import json
from dataclasses import fields, replace

import pytest

from stacks.designs import DEV
from stacks.environments import Environment
from stacks.sizes import ConverterSize, GiantConverter, ImageTaskSize
from vitrine.settings.deliver import DeliverOptions, DeliverSettings
from vitrine.settings.departments import Department, encode_departments
from vitrine.settings.edge import (
    AccessOptions,
    AuthorizationSettings,
    InvalidateSettings,
    McpSettings,
)
from vitrine.settings.ingest import IngestOptions, IngestSettings
from vitrine.settings.photos import PhotoOptions, PhotoSettings
from vitrine.settings.present import (
    ApiSettings,
    OcrOptions,
    OcrSettings,
    PresentOptions,
    PresentSettings,
    PublishSettings,
    SiteSettings,
    StatisticsSettings,
)

OPTIONS = {
    "ingest": (IngestOptions, IngestSettings),
    "deliver": (DeliverOptions, DeliverSettings),
    "present": (PresentOptions, PresentSettings),
    "photos": (PhotoOptions, PhotoSettings),
    "access": (AccessOptions, AuthorizationSettings),
    "ocr": (OcrOptions, OcrSettings),
}
SETTINGS = (
    ApiSettings,
    IngestSettings,
    DeliverSettings,
    PresentSettings,
    PublishSettings,
    SiteSettings,
    InvalidateSettings,
    PhotoSettings,
    AuthorizationSettings,
    OcrSettings,
    StatisticsSettings,
    McpSettings,
)
OF_FUNCTIONS = {
    **dict.fromkeys(("PublishObjects", "UpdateCollections"), PublishSettings),
    **dict.fromkeys(("RecordChanges", "WriteDumps", "UpdateSearch", "SearchContent"), SiteSettings),
    "AnswerMcp": McpSettings,
    "AnswerPhoto": PhotoSettings,
    "AnswerRequest": ApiSettings,
    "AuthorizeVisitor": AuthorizationSettings,
    "CountVisits": StatisticsSettings,
    "ReadPages": OcrSettings,
}
"""Settings of functions, by a part of their names, that differ from those of their stage."""
TEXTS = {
    "rights_uri": "http://rightsstatements.org/vocab/InC/1.0/",
    "languages": "deu+frk",
    "thumbnails": "small = square/100,100",
    "identifier_pattern": r"(?P<identifier>.+)\.tiff?",
    "own_sites": "museum.example.org",
    "robots_tag": "noai",
    "content_usage": "train-ai=n",
    "tdm_policy": "https://museum.example.org/tdm-policy.json",
}
"""Examples for options whose values cannot be made up from their declaration."""
DEPARTMENTS = {"map-room": Department(collections=("maps",))}
DERIVED = {
    "event_bus": "museum",
    "maximum_master_mebibytes": 92_416,
    "maximum_memory_mebibytes": 14_745,
    "maximum_disk_mebibytes": 92_416,
    "giants_at_once": 3,
    "switch_seconds": 96,
    "executions_at_once": 40,
    "public_base_url": "https://images.example.org",
    "gateway_processes": 4,
    "render_cores": 4,
    "iipsrv_processes": 4,
    "iipsrv_memory_mebibytes": 1_024,
    "cache_mebibytes": 56_064,
    "log_level": "ERROR",
    "maximum_output_pixels": 25_000_001,
    "downloads_at_once": 17,
    "rights_uri": TEXTS["rights_uri"],
    "crawlers": "deny",
    "content_usage": TEXTS["content_usage"],
    "ocr_languages": TEXTS["languages"],
    "photo_queue": 65,
    "maximum_photo_mebibytes": 33,
    "photo_workers": 4,
    "photo_memory_mebibytes": 682,
    "departments": encode_departments(DEPARTMENTS),
    "text_proposals_address": "https://texts.example.org/propose",
}
"""Values that the stacks compute from the sizes and names of `_changed_environment`."""


def _changed(options):
    """Return options each of which differs from its default."""
    values = {}
    for item in fields(options):
        if item.metadata["choices"]:
            values[item.name] = next(
                name for name in item.metadata["choices"] if name != item.default
            )
        else:
            values[item.name] = item.default + 1 if item.type is int else TEXTS[item.name]
    return options(**values)


def _changed_environment():
    return replace(
        DEV,
        **{name: _changed(options) for name, (options, _) in OPTIONS.items()},
        event_bus="museum",
        departments=DEPARTMENTS,
        text_proposals="https://texts.example.org/propose",
        domain_name="images.example.org",
        certificate_arn="arn:aws:acm:us-east-1:000000000000:certificate/1",
        log_level="ERROR",
        image_task=ImageTaskSize(
            cpu_units=4096, memory_mebibytes=8192, disk_gibibytes=60, minimum=1, maximum=2
        ),
        small_converter=ConverterSize(memory_mebibytes=2000, disk_mebibytes=2000, at_once=20),
        large_converter=ConverterSize(memory_mebibytes=4000, disk_mebibytes=8000, at_once=10),
        giant_converter=GiantConverter(
            cpu_units=4096, memory_mebibytes=16_384, disk_gibibytes=100, at_once=3
        ),
    )


@pytest.fixture(scope="module")
def changed(synthesize):
    """The templates of an environment in which every option differs from its default."""
    return synthesize(_changed_environment())


def _processes(templates):
    """Yield (name, settings as the process reads them) of every Lambda and container."""
    of_stage = {"present": PresentSettings, "edge": InvalidateSettings}
    for function in templates.of("AWS::Lambda::Function"):
        variables = function.properties["Environment"]["Variables"]
        stage = of_stage.get(function.stage, IngestSettings)
        settings = [own for part, own in OF_FUNCTIONS.items() if part in function.id] or [stage]
        yield function.id, _read(settings[0], variables)
    for task in templates.of("AWS::ECS::TaskDefinition"):
        settings = DeliverSettings if task.stage == "deliver" else IngestSettings
        for container in task.properties["ContainerDefinitions"]:
            variables = {item["Name"]: item["Value"] for item in container["Environment"]}
            own = PhotoSettings if container["Name"] == "photos" else settings
            yield f"{task.id} {container['Name']}", _read(own, variables)


def _read(settings, variables):
    # A name that CloudFormation fills in at deployment is a reference in the template.
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in variables.items()
    }
    return settings.from_environment(texts)


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_of_the_environment_reaches_every_process_of_its_stage(name, changed):
    options, settings = OPTIONS[name]
    chosen = getattr(changed.environment, name)
    reached = [item for item in _processes(changed) if isinstance(item[1], settings)]
    assert reached
    for process, read in reached:
        for item in fields(options):
            assert getattr(chosen, item.name) != item.default, item.name
            assert getattr(read, item.name) == getattr(chosen, item.name), (process, item.name)


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_computed_setting_follows_the_environment(settings, changed):
    computed = [item for item in fields(settings) if item.metadata["derived_from"]]
    for process, read in _processes(changed):
        for item in computed if isinstance(read, settings) else ():
            assert DERIVED[item.name] != item.default, item.name
            assert getattr(read, item.name) == DERIVED[item.name], (process, item.name)


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_setting_is_an_option_or_says_who_decides_it(settings):
    own = [options for options, _ in OPTIONS.values() if issubclass(settings, options)]
    options = {item.name for group in own for item in fields(group)}
    for item in fields(settings):
        marks = item.name in options, bool(item.metadata["derived_from"]), item.metadata["wiring"]
        assert marks.count(True) == 1, f"{item.name} needs a door, or a mark that it has none"


@pytest.mark.parametrize("settings", SETTINGS)
def test_what_settings_are_computed_from_exists(settings):
    for item in fields(settings):
        for path in filter(None, item.metadata["derived_from"].split(", ")):
            owner = DEV
            for name in path.split("."):
                assert name in {part.name for part in fields(owner)}, (item.name, path)
                owner = getattr(owner, name)


def test_every_group_of_options_is_a_field_of_the_environment():
    held = {item.name: item.type for item in fields(Environment)}
    for name, (options, _) in OPTIONS.items():
        assert held[name] in (options, options | None)


@pytest.mark.parametrize(
    ("options", "changes", "sentence"),
    [
        (DeliverOptions, {"rights_uri": "CC0"}, "must be the http or https URI"),
        (DeliverOptions, {"rights_uri": "https://example.org/a b"}, "must be the http or https"),
        (DeliverOptions, {"tile_metadata": "all"}, "one of none, profile, rights, not 'all'"),
        (DeliverOptions, {"browser_max_age_seconds": -1}, "at least 0, not -1"),
        (DeliverOptions, {"shutdown_seconds": 120}, "at most 110, not 120"),
        (DeliverOptions, {"identifier_ttl_seconds": 900}, "at most 885, not 900"),
        (IngestOptions, {"recipe": "mozjpeg"}, "one of standard, light, tiffsave, not 'mozjpeg'"),
        (IngestOptions, {"withdrawal_grace_seconds": 2_592_001}, "at most 2,592,000"),
        (IngestOptions, {"parallel_starts": 1}, "at least 2, not 1"),
        (PresentOptions, {"gallery_length": -1}, "at least 0, not -1"),
    ],
)
def test_an_option_that_cannot_work_is_rejected_with_a_sentence(options, changes, sentence):
    (name,) = changes
    with pytest.raises(ValueError, match=f"^{name} must be .*{sentence.removeprefix('must be ')}"):
        options(**changes)
