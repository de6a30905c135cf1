"""Settings are read and written without loss, and their choices are what the code knows."""

from dataclasses import fields

import pytest

from vitrine.deliver.embed.tiles import TILE_METADATA
from vitrine.identify.identifier_rule import STEM
from vitrine.ingest.recipe import RECIPES
from vitrine.settings.deliver import DeliverOptions, DeliverSettings
from vitrine.settings.ingest import IngestOptions

REQUIRED = {
    "VITRINE_ACCESS_MASTERS_BUCKET": "masters",
    "VITRINE_SITE_BUCKET": "site",
    "VITRINE_IDENTIFIERS_TABLE": "table",
}


def _choices(options: type[DeliverOptions | IngestOptions], name: str) -> tuple[str, ...]:
    (item,) = [item for item in fields(options) if item.name == name]
    return tuple(item.metadata["choices"])


def test_the_choices_of_a_setting_are_those_that_the_code_knows() -> None:
    assert _choices(DeliverOptions, "tile_metadata") == TILE_METADATA
    assert _choices(IngestOptions, "recipe") == tuple(RECIPES)
    assert IngestOptions().identifier_pattern == STEM


def test_settings_come_back_as_they_were_written() -> None:
    written = DeliverSettings(
        access_masters_bucket="masters",
        site_bucket="site",
        identifiers_table="table",
        rights_uri="https://a.org/cc0",
    )
    assert DeliverSettings.from_environment(written.to_environment()) == written


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("VITRINE_ORIGIN_PORT", "http", "VITRINE_ORIGIN_PORT must be of type int, not 'http'"),
        ("VITRINE_LOG_LEVEL", "LOUD", "log_level must be one of DEBUG, INFO, WARNING, ERROR"),
        ("VITRINE_RENDER_CORES", "0", "render_cores must be at least 1, not 0"),
    ],
)
def test_a_value_that_a_process_cannot_work_with_is_refused(
    name: str, value: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        DeliverSettings.from_environment(REQUIRED | {name: value})


def test_a_required_setting_that_is_absent_is_named() -> None:
    named = {name: REQUIRED[name] for name in REQUIRED if name != "VITRINE_IDENTIFIERS_TABLE"}
    with pytest.raises(KeyError, match="VITRINE_IDENTIFIERS_TABLE is required: DynamoDB table"):
        DeliverSettings.from_environment(named)
