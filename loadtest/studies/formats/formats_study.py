"""Rounds in which every server gets requests for the same pictures in every format it reads."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from loadtest.client.user_load import Load, send_each
from loadtest.errors import InvalidScenario
from loadtest.figures.request_figures import count_faults
from loadtest.servers.pinning import pin_cores
from loadtest.studies.formats.codec_versions import check_codecs, codec_versions
from loadtest.studies.formats.encoding_rounds import encode_rounds
from loadtest.studies.formats.format_encoders import FORMATS, Rates
from loadtest.studies.formats.format_figures import (
    Row,
    decode_milliseconds,
    encoding_figures,
    pool_rounds,
)
from loadtest.studies.formats.format_pictures import (
    FormatPicture,
    first_photographs,
    make_files,
    stand_ins,
)
from loadtest.studies.formats.format_requests import (
    PictureRequest,
    format_targets,
    listed_requests,
    study_requests,
)
from loadtest.studies.formats.format_rigs import KINDS
from loadtest.studies.formats.pixel_checks import check_pixels
from loadtest.studies.interleaved_rounds import Say, StudyRun, Watch, interleave_turns, keep_row
from rigs.rig import Rig


@dataclass(frozen=True, kw_only=True)
class FormatsStudy:
    """The servers and pictures to compare."""

    servers: Sequence[str] = ("iipsrv", "decoders", "ours")
    """Names in `format_rigs.KINDS`; without any, pictures are only encoded."""
    encode: bool = True
    pictures: int = 1
    """Photographs; with `url_lists`, images of those lists."""
    url_lists: Sequence[Path] = ()
    dimensions: Path | None = None
    """CSV file with id, width and height of the images in the lists."""
    list_requests: int = 60
    """Requests taken from each list."""
    rounds: int = 5
    seed: int = 2022
    scratch: Path = Path(".build/formats")


@dataclass
class _FormatRows:
    encodings: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)
    rounds: list[Row] = field(default_factory=list)


def compare_formats(study: FormatsStudy, say: Say, watch: Watch) -> dict[str, Any]:
    """Return all figures; `complete` is False after Ctrl-C or when a server died (then
    `stopped_by` says which), and what was measured is kept.

    Raises InvalidScenario for what cannot be compared, VitrineError where a server does not
    start, RuntimeError where a photograph cannot be fetched.
    """
    _require_measurable(study)
    check_codecs()
    pictures, requests = _pictures_and_requests(study)
    folder = study.scratch.resolve() / "files"
    rates = make_files(folder, pictures, say)
    measured = _FormatRows()
    with ExitStack() as stack:
        run = StudyRun(say, watch, stack.enter_context(pin_cores()))
        with run.keep_partial(measured.encodings, measured.checks, measured.rounds):
            if study.encode:
                encode_rounds(pictures, rates, study.rounds, watch, measured.encodings)
            rigs = _start_rigs(stack, study, run, folder)
            run.pinning.start_generator()
            _check_pixels(run, measured, rigs, pictures, requests)
            _run_rounds(study, run, measured, rigs, requests)
        return _study_figures(study, run, measured, pictures, rates, folder)


def _require_measurable(study: FormatsStudy) -> None:
    for name in study.servers:
        if name not in KINDS:
            raise InvalidScenario(f"--servers {name!r}: there are {', '.join(KINDS)}")
    if not study.servers and not study.encode:
        raise InvalidScenario("nothing to measure: no server, and no encoding")
    if study.url_lists and not study.dimensions:
        raise InvalidScenario("--url-list needs --dimensions, a CSV file with id, width, height")


def _pictures_and_requests(study: FormatsStudy) -> tuple[list[FormatPicture], list[PictureRequest]]:
    if not study.url_lists or not study.dimensions:
        pictures = first_photographs(study.pictures)
        return pictures, study_requests(pictures, study.seed)
    sizes, listed = listed_requests(
        study.url_lists, study.dimensions, study.pictures, study.list_requests
    )
    pictures = stand_ins(sizes)
    by_name = {picture.name: picture for picture in pictures}
    return pictures, [PictureRequest(kind, by_name[name], rest) for kind, name, rest in listed]


def _start_rigs(
    stack: ExitStack, study: FormatsStudy, run: StudyRun, folder: Path
) -> dict[str, Rig]:
    if study.servers:
        run.say(f"starting {', '.join(study.servers)}")
        run.pinning.start_servers()
    return {name: stack.enter_context(KINDS[name].start(folder)) for name in study.servers}


def _server_formats(rigs: dict[str, Rig]) -> list[tuple[str, str]]:
    return [(server, name) for server in rigs for name in KINDS[server].formats]


def _check_pixels(
    run: StudyRun,
    measured: _FormatRows,
    rigs: dict[str, Rig],
    pictures: Sequence[FormatPicture],
    requests: Sequence[PictureRequest],
) -> None:
    if not rigs:
        return
    pixels = {picture.name: picture.pixels() for picture in pictures}
    for server, name in _server_formats(rigs):
        progress = run.watch(f"checking the pixels of {server} with {name}")
        measured.checks += [
            {"server": server, "format": name, **row}
            for row in check_pixels(rigs[server].url, name, requests, pixels, progress)
        ]


def _run_rounds(
    study: FormatsStudy,
    run: StudyRun,
    measured: _FormatRows,
    rigs: dict[str, Rig],
    requests: Sequence[PictureRequest],
) -> None:
    for number, (server, name) in interleave_turns(_server_formats(rigs), study.rounds):
        rig = rigs[server]
        for kind, group in groupby(requests, key=lambda request: request.kind):
            listed = format_targets(group, FORMATS[name])
            title = f"{server}, {name}, {kind}, round {number} of {study.rounds}"
            before = sum(rig.cpu_seconds().values())
            load = send_each(rig.url, listed, 1, run.watch(title))
            cpu = sum(rig.cpu_seconds().values()) - before
            rig.check()
            row = {"server": server, "format": name, "kind": kind, "round": number}
            keep_row(measured.rounds, row | _load_row(load, cpu))


def _load_row(load: Load, cpu_seconds: float) -> Row:
    good = [answer for answer in load.answers if not answer.fault]
    decodes = [decode_milliseconds(answer) for answer in good]
    return {
        "complete": load.complete,
        "requests": len(load.answers),
        "failures": len(load.answers) - len(good),
        "failed": count_faults(load.answers),
        "seconds": round(load.seconds, 4),
        "cpu_ms": round(1_000 * cpu_seconds, 3),
        "generator_cores": round(load.generator, 3),
        "milliseconds": [round(1_000 * answer.seconds, 3) for answer in good],
        "decode_milliseconds": [value for value in decodes if value is not None],
        "bytes": [answer.bytes for answer in good],
    }


def _study_figures(
    study: FormatsStudy,
    run: StudyRun,
    measured: _FormatRows,
    pictures: Sequence[FormatPicture],
    rates: dict[str, Rates],
    folder: Path,
) -> dict[str, Any]:
    return {
        **run.as_json(),
        "scenario": {
            "servers": list(study.servers),
            "rounds": study.rounds,
            "seed": study.seed,
            "connections": 1,
            "url_lists": [file.name for file in study.url_lists],
            "list_requests": study.list_requests if study.url_lists else None,
        },
        "pictures": [picture.as_json() for picture in pictures],
        "files": {
            picture.name: {
                name: (folder / picture.file(one)).stat().st_size for name, one in FORMATS.items()
            }
            for picture in pictures
        },
        "rates": {name: vars(one) for name, one in rates.items()},
        "formats": {name: one.encoder for name, one in FORMATS.items()},
        "servers": {name: KINDS[name].about for name in study.servers},
        "versions": codec_versions(study.servers),
        "encodings": measured.encodings,
        "encoded": encoding_figures(measured.encodings),
        "checks": measured.checks,
        "rounds": measured.rounds,
        "served": pool_rounds(measured.rounds, measured.checks),
    }
