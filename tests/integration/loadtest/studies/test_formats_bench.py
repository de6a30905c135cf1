"""The comparison of formats with real encoders, decoders and servers, on a tiny picture."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from typer.testing import CliRunner, Result

from loadtest.cli import build_app
from loadtest.studies.formats import format_requests as requests
from loadtest.studies.formats import formats_study as run
from loadtest.studies.formats.format_encoders import FORMATS
from loadtest.studies.formats.format_pictures import FormatPicture
from loadtest.studies.formats.formats_study import FormatsStudy, compare_formats

WIDTH, HEIGHT = 700, 523
SMALL_KINDS = tuple(kind for kind in requests.KINDS if kind not in ("1024", "3000"))


def drawn() -> pyvips.Image:
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    grain = np.random.default_rng(3).integers(0, 30, (HEIGHT, WIDTH, 3))
    waves = 100 + 90 * np.sin(x / 40) * np.cos(y / 30)
    pixels = np.clip(waves[:, :, None] + grain, 0, 255).astype(np.uint8)
    return pyvips.Image.new_from_array(pixels, interpretation="srgb")


@pytest.fixture(autouse=True)
def small_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = FormatPicture(
        name="drawn", width=WIDTH, height=HEIGHT, about="drawn", photograph=drawn, sample=drawn
    )
    monkeypatch.setattr(requests, "KINDS", SMALL_KINDS)
    monkeypatch.setattr(requests, "REPEATS", {"info": 2, "500": 3})
    monkeypatch.setattr(run, "first_photographs", lambda count: [picture])
    monkeypatch.setattr(run, "stand_ins", lambda sizes: [picture])


def watch(name: str) -> Callable[[int, int], None]:
    return lambda requests, failures: None


def formats(folder: Path, *words: object) -> Result:
    command = ["study", "formats", "--rounds", "1", "--scratch", folder / "scratch"]
    command += ["--results", folder / "results", *words]
    return CliRunner().invoke(build_app(), [str(word) for word in command])


def test_every_format_is_encoded_and_served_and_its_pixels_are_looked_at(tmp_path: Path) -> None:
    figures = compare_formats(FormatsStudy(rounds=1, scratch=tmp_path), lambda line: None, watch)
    assert figures["complete"]
    by_format = {row["format"]: row for row in figures["encoded"]}
    assert list(by_format) == list(FORMATS)
    for name, one in FORMATS.items():
        assert by_format[name]["equal"] == one.lossless
    lossy = [row["psnr_db"] for row in by_format.values() if not row["equal"]]
    assert max(lossy) - min(lossy) < 1
    pairs = dict.fromkeys((row["server"], row["format"]) for row in figures["served"])
    assert len(pairs) == 2 * len(FORMATS) + 1
    for row in figures["served"]:
        assert row["requests"] > 0
        assert row["failures"] == 0
        if row["server"] == "decoders" and row["kind"] != "info":
            assert row["decode_ms"] > 0
    # OpenJPEG 2.5.0 decodes no regions of HTJ2K: the study says so, and blames nothing else.
    wrong = {(row["server"], row["format"].partition("-")[0], row["kind"])
             for row in figures["checks"] if row["wrong"]}  # fmt: skip
    assert ("iipsrv", "htj2k", "small region") in wrong
    assert {(server, family) for server, family, _ in wrong} == {("iipsrv", "htj2k")}


def test_a_list_of_addresses_is_asked_of_every_format(tmp_path: Path) -> None:
    urls, sizes = tmp_path / "viewer.txt", tmp_path / "sizes.csv"
    urls.write_text(f"drawn.tif/info.json\ndrawn.tif/0,0,512,{HEIGHT}/256,/0/default.jpg\n")
    sizes.write_text(f"id,width,height\ndrawn,{WIDTH},{HEIGHT}\n")
    words = ["--servers", "decoders", "--name", "viewer"]
    done = formats(tmp_path, "--url-list", urls, "--dimensions", sizes, *words)
    assert done.exit_code == 0, done.output
    [folder] = (tmp_path / "results").iterdir()
    assert folder.name.endswith("-viewer")
    figures: dict[str, Any] = json.loads((folder / "run.json").read_text())["figures"]
    assert {(row["kind"], row["requests"]) for row in figures["served"]} == {("viewer", 2)}
    with (folder / "requests.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 2 * len(FORMATS)
    assert "HTJ2K" in (folder / "index.html").read_text()


def test_after_ctrl_c_what_was_measured_is_kept_and_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "send_each", interrupt)
    done = formats(tmp_path, "--servers", "decoders", "--no-encode")
    assert done.exit_code == 1
    [folder] = (tmp_path / "results").iterdir()
    figures = json.loads((folder / "run.json").read_text())["figures"]
    assert not figures["complete"]
    assert {row["kind"] for row in figures["checks"]} == set(SMALL_KINDS)
    assert "interrupted" in (folder / "index.html").read_text()


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    for words, said in (
        (["--servers", "apache"], "there are iipsrv, decoders, ours"),
        (["--servers", "", "--no-encode"], "nothing to measure"),
        (["--url-list", tmp_path / "none.txt"], "needs --dimensions"),
    ):
        done = formats(tmp_path, *words)
        assert (done.exit_code, said in done.stderr) == (2, True), done.output
    assert not (tmp_path / "results").exists()
