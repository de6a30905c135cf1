"""Keys that S3 and curators can live with."""

import re

import pytest

from vitrine.store.layout import access_master_key, execution_name, image_version, key_stem


@pytest.mark.parametrize(
    ("key", "stem"),
    [
        ("nachtwache.tif", "nachtwache"),
        ("a/b/night.watch.tif", "night.watch"),
        ("a b/Gang №1.TIFF", "Gang №1"),
        ("no-extension", "no-extension"),
        (".hidden", ".hidden"),
    ],
)
def test_the_stem_loses_folders_and_one_extension(key: str, stem: str) -> None:
    assert key_stem(key) == stem


def test_an_access_master_key_is_safe_and_holds_the_version() -> None:
    key = access_master_key("Gang №1/50%", "0123456789abcdef")
    assert re.fullmatch(r"[0-9a-f]{2}/[\w.%~-]+/0123456789abcdef\.tif", key)
    assert key.isascii()


def test_the_longest_identifier_fits_a_key() -> None:
    assert len(access_master_key("ä" * 127, "0" * 16)) <= 1024


def test_a_version_follows_bytes_and_recipe() -> None:
    versions = {image_version(a, b) for a in ("1", "2") for b in ("standard-1", "standard-2")}
    assert len(versions) == 4
    assert image_version("1", "standard-1") in versions


def test_an_execution_name_fits_step_functions() -> None:
    name = execution_name("x" * 1024, "v1")
    assert re.fullmatch(r"[0-9a-f]{64}", name)
    assert name != execution_name("x" * 1024, "v2")
