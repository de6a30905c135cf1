"""A master's key names its image, by whatever rule is set."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.errors import MasterRejected
from vitrine.identify.identifier_rule import STEM, IdentifierRule
from vitrine.settings.ingest import IngestSettings


@pytest.mark.parametrize(
    ("key", "identifier"),
    [("a/b/night.watch.tif", "night.watch"), ("x", "x"), (".tif", ".tif"), ("a/日本.tiff", "日本")],
)
def test_by_default_the_stem_of_the_file_name_is_the_identifier(key: str, identifier: str) -> None:
    assert IdentifierRule().identifier(key) == identifier


@given(st.text(alphabet="ab./ é", min_size=1).filter(lambda key: PurePosixPath(key).name))
def test_the_default_is_the_stem_of_any_key_that_names_a_file(key: str) -> None:
    if not key.endswith(("/", "/.")):
        assert IdentifierRule().identifier(key) == PurePosixPath(key).stem


def test_a_rule_can_take_folders_into_the_identifier() -> None:
    rule = IdentifierRule(r"collections/(?P<identifier>[^/]+/[^/]+)/master\.tiff?")
    assert rule.identifier("collections/prints/RP-P-1/master.tif") == "prints/RP-P-1"


def test_a_key_of_another_form_is_a_rejection_that_names_it() -> None:
    rule = IdentifierRule(r"(?P<identifier>RP-[^/]+)\.tif")
    with pytest.raises(MasterRejected) as raised:
        rule.identifier("scan 0001.tif")
    rejection = raised.value.rejection
    assert (rejection.code, rejection.value) == ("identifier-missing", "scan 0001.tif")


@pytest.mark.parametrize("pattern", ["(", "(.*)", "(?P<name>.*)", ""])
def test_a_pattern_that_names_nothing_is_refused_when_it_is_set(pattern: str) -> None:
    with pytest.raises(ValueError, match="identifier pattern"):
        IdentifierRule(pattern)


def test_the_setting_has_the_same_default() -> None:
    default = IngestSettings.__dataclass_fields__["identifier_pattern"].default
    assert default == STEM
