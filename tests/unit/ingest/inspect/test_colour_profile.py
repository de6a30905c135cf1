"""Colour profiles: usable, for other colours, or broken."""

import struct
from pathlib import Path

import pytest
from PIL import ImageCms

from tests.rigs.corpora.corpus_colours import ADOBE_PROFILE, GRAY_PROFILE
from tests.rigs.corpora.corpus_master import cmyk_picture
from vitrine.ingest.inspect.colour_profile import profile_state
from vitrine.ingest.inspect.formats.made_profile import gamma_profile


def state_of(profile: bytes | None) -> str:
    return profile_state(profile, "rgb")[0]


def test_states_are_distinguished() -> None:
    assert state_of(None) == "none"
    assert state_of(ADOBE_PROFILE) == "usable"
    assert state_of(GRAY_PROFILE) == "mismatched"


@pytest.mark.parametrize(
    "profile",
    [
        b"\0",
        bytes(500),
        ADOBE_PROFILE[:200],
        ADOBE_PROFILE[:-50],
        ADOBE_PROFILE[:128] + struct.pack(">I", 0) + ADOBE_PROFILE[132:],
        ADOBE_PROFILE[:128] + struct.pack(">I", 99_999) + ADOBE_PROFILE[132:],
        ADOBE_PROFILE.replace(b"rTRC", b"xxxx"),
        ADOBE_PROFILE.replace(b"curv", b"xxxx"),
    ],
)
def test_a_broken_profile_is_reported_with_its_fault(profile: bytes) -> None:
    state, [note] = profile_state(profile, "rgb")
    assert state == "broken"
    assert note.code == "profile-broken"
    assert note.value


def test_tables_that_the_colour_engine_refuses_are_broken() -> None:
    profile = bytearray(cmyk_picture()[1])
    assert profile_state(bytes(profile), "cmyk") == ("usable", ())
    for number in range(struct.unpack_from(">I", profile, 128)[0]):
        name, offset, _ = struct.unpack_from(">4sII", profile, 132 + 12 * number)
        if name.startswith(b"A2B"):
            profile[offset + 8] = 9  # input channels of a table
    state, [note] = profile_state(bytes(profile), "cmyk")
    assert (state, note.code) == ("broken", "profile-broken")


@pytest.mark.parametrize("colour", ["gray", "rgb"])
def test_a_gamma_profile_is_one_that_others_open(colour: str, tmp_path: Path) -> None:
    profile = gamma_profile(1.8, colour)  # type: ignore[arg-type]
    assert profile_state(profile, colour)[0] == "usable"  # type: ignore[arg-type]
    (tmp_path / "p.icc").write_bytes(profile)
    assert ImageCms.getProfileDescription(str(tmp_path / "p.icc")).strip() == "made"
