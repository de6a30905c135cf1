"""`vitrine-loadtest study museum`: the museum's table for every server named, in one run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch, Seed
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from loadtest.errors import InvalidScenario
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/studies")
SERVERS = "ours,iipsrv"


def museum(
    servers: Annotated[
        str,
        typer.Option(
            help="The servers to start and compare, from ours, ours-cached, iipsrv, "
            "iipsrv-cached, iipsrv-memcached, iipsrv-patched and iiif-processor.",
            show_default=f"{SERVERS}, or none with --url",
        ),
    ] = "",
    url: Annotated[
        list[str] | None,
        typer.Option(
            help="A running server to compare, as in NAME=https://host/iiif/3; name its images "
            "with --images. May be repeated.",
            metavar="NAME=URL",
        ),
    ] = None,
    images: Annotated[
        list[str] | None,
        typer.Option(help="A CSV file of that server's images: identifier, width, height."),
    ] = None,
    connections: Annotated[
        str, typer.Option(help="How many connections at once, stage by stage.")
    ] = "10,100",
    seconds: Annotated[float, typer.Option(min=0.5, help="Length of each round, in seconds.")] = 15,
    rounds: Rounds = 5,
    cpu_seconds: Annotated[
        float,
        typer.Option(
            min=0,
            help="Seconds to request each class alone, for its CPU time; 0 skips this.",
        ),
    ] = 1,
    server_cores: Annotated[
        int,
        typer.Option(
            min=1,
            help="How many cores each server may use, with all of its processes; the next is the "
            "generator's, if there is one.",
        ),
    ] = 1,
    seed: Seed = 2019,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "report",
    as_json: AsJson = False,
) -> None:
    """Compare image servers by a museum's Locust table of twelve rows.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept and marked). 2: nothing was compared.
    """
    from loadtest.fleet.image_lists import images_from
    from loadtest.studies.museum.museum_report import REPORT
    from loadtest.studies.museum.museum_study import MuseumStudy, compare_servers
    from loadtest.studies.museum.museum_tables import wrong_answers

    def measure(watch: Watch) -> Figures:
        study = MuseumStudy(
            servers=parse_servers(servers or ("" if url else SERVERS)),
            urls=[_parse_url(entry) for entry in url or ()],
            images=images_from(images or ()),
            connections=parse_numbers(connections),
            seconds=seconds,
            rounds=rounds,
            cpu_seconds=cpu_seconds,
            server_cores=server_cores,
            seed=seed,
            scratch=scratch,
        )
        return compare_servers(study, print_progress, watch)

    run_study(REPORT, measure, lambda run: not wrong_answers(run), results, name, as_json)


def parse_servers(text: str, others: Sequence[str] = ()) -> list[str]:
    """Return the names in a list with commas. Raises InvalidScenario for one that is not known."""
    from loadtest.studies.museum.museum_servers import KINDS

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in KINDS and name not in others:
            known = ", ".join(dict.fromkeys([*others, *KINDS]))
            raise InvalidScenario(f"--servers {name!r}: choose from {known}")
    return names


def _parse_url(entry: str) -> tuple[str, str]:
    name, equals, url = entry.partition("=")
    if not equals or not name or not url.startswith(("http://", "https://")):
        raise InvalidScenario(f"--url {entry!r}: give NAME=URL, as in other=https://host/iiif/3")
    return name, url


def parse_numbers(text: str, option: str = "--connections", least: int = 1) -> tuple[int, ...]:
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise InvalidScenario(f"{option} {text!r}: give numbers, as in 10,100") from None
    if min(numbers) < least:
        raise InvalidScenario(f"{option} {text!r}: numbers must be at least {least}")
    return numbers
