"""Rounds in which every server is asked for the same pictures in every format it reads."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from loadtest.client.user_load import Load, Progress, ask_each
from loadtest.figures.request_figures import failed
from loadtest.rigs.pinning import Pinning, pinned
from loadtest.rigs.rig import Rig
from loadtest.studies.formats.answer_checks import checked
from loadtest.studies.formats.codec_versions import check_codecs, codec_versions
from loadtest.studies.formats.encoding_rounds import encode_rounds
from loadtest.studies.formats.format_encoders import FORMATS, Rates
from loadtest.studies.formats.format_figures import Row, decode_milliseconds, encoded, pooled
from loadtest.studies.formats.format_pictures import Picture, make_files, photographs, stand_ins
from loadtest.studies.formats.format_requests import Ask, listed_asks, study_asks, targets
from loadtest.studies.formats.format_rigs import KINDS
from vitrine.errors import InvalidScenario
from vitrine.local.process import ProcessDied


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be compared."""

    servers: Sequence[str] = ("iipsrv", "decoders", "ours")
    """Of `servers.KINDS`; none: only encode."""
    encode: bool = True
    pictures: int = 1
    """Photographs; where lists are given, the images of those."""
    url_lists: Sequence[Path] = ()
    dimensions: Path | None = None
    """A CSV file with id, width and height of the images of the lists."""
    list_requests: int = 60
    """Of each list."""
    rounds: int = 5
    seed: int = 2022
    scratch: Path = Path(".build/formats")


@dataclass
class _Course:
    study: Study
    say: Callable[[str], None]
    watch: Callable[[str], Progress]
    pinning: Pinning
    encodings: list[Row] = field(default_factory=list)
    checks: list[Row] = field(default_factory=list)
    rounds: list[Row] = field(default_factory=list)
    complete: bool = True
    stopped_by: str = ""


def compare(
    study: Study, say: Callable[[str], None], watch: Callable[[str], Progress]
) -> dict[str, Any]:
    """All figures; `complete` is False after Ctrl-C or when a server died (then `stopped_by`
    says which), and what was measured is kept.

    Raises InvalidScenario for what cannot be compared, VitrineError where a server does not
    start, RuntimeError where a photograph cannot be fetched.
    """
    _require_measurable(study)
    check_codecs()
    pictures, asks = _pictures_and_asks(study)
    folder = study.scratch.resolve() / "files"
    rates = make_files(folder, pictures, say)
    with ExitStack() as stack:
        course = _Course(study, say, watch, stack.enter_context(pinned()))
        try:
            if study.encode:
                encode_rounds(pictures, rates, study.rounds, watch, course.encodings)
            rigs = _start(stack, course, folder)
            course.pinning.start_generator()
            _check_pixels(course, rigs, pictures, asks)
            _rounds(course, rigs, asks)
        except (KeyboardInterrupt, ProcessDied) as error:
            if not (course.encodings or course.checks or course.rounds):
                raise
            course.complete, course.stopped_by = False, str(error)
        return _figures(course, pictures, rates, folder)


def _require_measurable(study: Study) -> None:
    for name in study.servers:
        if name not in KINDS:
            raise InvalidScenario(f"--servers {name!r}: there are {', '.join(KINDS)}")
    if not study.servers and not study.encode:
        raise InvalidScenario("nothing to measure: no server, and no encoding")
    if study.url_lists and not study.dimensions:
        raise InvalidScenario("--url-list needs --dimensions, a CSV file with id, width, height")


def _pictures_and_asks(study: Study) -> tuple[list[Picture], list[Ask]]:
    if not study.url_lists or not study.dimensions:
        pictures = photographs(study.pictures)
        return pictures, study_asks(pictures, study.seed)
    sizes, listed = listed_asks(
        study.url_lists, study.dimensions, study.pictures, study.list_requests
    )
    pictures = stand_ins(sizes)
    by_name = {picture.name: picture for picture in pictures}
    return pictures, [Ask(kind, by_name[name], rest) for kind, name, rest in listed]


def _start(stack: ExitStack, course: _Course, folder: Path) -> dict[str, Rig]:
    if course.study.servers:
        course.say(f"starting {', '.join(course.study.servers)}")
        course.pinning.start_servers()
    return {name: stack.enter_context(KINDS[name].start(folder)) for name in course.study.servers}


def _pairs(rigs: dict[str, Rig]) -> list[tuple[str, str]]:
    return [(server, name) for server in rigs for name in KINDS[server].formats]


def _check_pixels(
    course: _Course, rigs: dict[str, Rig], pictures: Sequence[Picture], asks: Sequence[Ask]
) -> None:
    if not rigs:
        return
    pixels = {picture.name: picture.pixels() for picture in pictures}
    for server, name in _pairs(rigs):
        progress = course.watch(f"looking at {server} with {name}")
        url = f"http://127.0.0.1:{rigs[server].port}"
        course.checks += [
            {"server": server, "format": name, **row}
            for row in checked(url, name, asks, pixels, progress)
        ]


def _rounds(course: _Course, rigs: dict[str, Rig], asks: Sequence[Ask]) -> None:
    pairs = _pairs(rigs)
    for number in range(1, course.study.rounds + 1):
        first = number % len(pairs) if pairs else 0
        for server, name in (*pairs[first:], *pairs[:first]):
            rig = rigs[server]
            for kind, group in groupby(asks, key=lambda ask: ask.kind):
                wanted = targets(group, FORMATS[name])
                title = f"{server}, {name}, {kind}, round {number} of {course.study.rounds}"
                before = rig.usage().cpu_seconds
                load = ask_each(f"http://127.0.0.1:{rig.port}", wanted, 1, course.watch(title))
                cpu = rig.usage().cpu_seconds - before
                rig.check()
                row = {"server": server, "format": name, "kind": kind, "round": number}
                course.rounds.append(row | _row(load, cpu))
                if not load.complete:
                    raise KeyboardInterrupt


def _row(load: Load, cpu_seconds: float) -> Row:
    good = [answer for answer in load.answers if not answer.fault]
    decodes = [decode_milliseconds(answer) for answer in good]
    return {
        "complete": load.complete,
        "requests": len(load.answers),
        "failures": len(load.answers) - len(good),
        "failed": failed(load.answers),
        "seconds": round(load.seconds, 4),
        "cpu_ms": round(1_000 * cpu_seconds, 3),
        "generator_cores": round(load.generator, 3),
        "milliseconds": [round(1_000 * answer.seconds, 3) for answer in good],
        "decode_milliseconds": [value for value in decodes if value is not None],
        "bytes": [answer.bytes for answer in good],
    }


def _figures(
    course: _Course,
    pictures: Sequence[Picture],
    rates: dict[str, Rates],
    folder: Path,
) -> dict[str, Any]:
    study = course.study
    return {
        "complete": course.complete,
        "stopped_by": course.stopped_by,
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
        "pinned": {
            "server_core": course.pinning.server,
            "generator_core": course.pinning.generator,
        },
        "encodings": course.encodings,
        "encoded": encoded(course.encodings),
        "checks": course.checks,
        "rounds": course.rounds,
        "served": pooled(course.rounds, course.checks),
    }
