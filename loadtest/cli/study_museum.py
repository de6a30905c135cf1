"""`vitrine-loadtest study museum`: the museum's table for every server named, in one run."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.study_run import Figures, Report, Watch, run_study
from vitrine.cli.program import AsJson
from vitrine.errors import InvalidScenario

SCRATCH = Path(".build/studies")
SERVERS = "ours,iipsrv"


def report(
    servers: Annotated[
        str, typer.Option(help="Of ours, iipsrv, iipsrv-cached, iiif-processor.")
    ] = "",
    url: Annotated[
        list[str] | None,
        typer.Option(
            help="Another one, with its images: NAME=https://host/iiif/3.", metavar="NAME=URL"
        ),
    ] = None,
    images: Annotated[
        list[str] | None, typer.Option(help="CSV of those: identifier, width, height.")
    ] = None,
    connections: Annotated[str, typer.Option(help="At once, one after the other.")] = "10,100",
    seconds: Annotated[float, typer.Option(min=0.5, help="Of each round.")] = 15,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="For each server.")] = 5,
    cpu_seconds: Annotated[
        float, typer.Option(min=0, help="Each class alone in a round, for its CPU; 0: not.")
    ] = 1,
    seed: Annotated[int, typer.Option(help="Equal seeds ask for equal things.")] = 2019,
    scratch: Annotated[Path, typer.Option(help="Folder for access masters.")] = SCRATCH,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    name: Annotated[str, typer.Option(help="Of its folder there, behind the date.")] = "report",
    as_json: AsJson = False,
) -> None:
    """Compare image servers by the museum's twelve rows. [default: ours,iipsrv]

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept, and marked). 2: nothing was compared.
    """
    from loadtest.cli.raw_run import print_progress
    from loadtest.fleet.image_lists import images_from
    from loadtest.studies.museum.museum_study import Study, compare

    def measure(watch: Watch) -> Figures:
        study = Study(
            servers=_known(servers or ("" if url else SERVERS)),
            urls=[_named(entry) for entry in url or ()],
            images=images_from(images or ()),
            connections=numbers(connections),
            seconds=seconds,
            rounds=rounds,
            cpu_seconds=cpu_seconds,
            seed=seed,
            scratch=scratch,
        )
        return compare(study, print_progress, watch)

    run_study(_report(), measure, results, name, as_json)


def _report() -> Report:
    from loadtest.studies.museum.museum_report import html, text
    from loadtest.studies.museum.museum_tables import write_csv, wrong_answers

    return Report(
        bench="report",
        text=text,
        html=html,
        write_tables=lambda figures, folder: write_csv(figures, folder / "rows.csv"),
        all_right=lambda figures: not wrong_answers(figures),
    )


def _known(text: str) -> list[str]:
    from loadtest.studies.museum.museum_servers import KINDS

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in KINDS:
            raise InvalidScenario(f"--servers {name!r}: there are {', '.join(KINDS)}")
    return names


def _named(entry: str) -> tuple[str, str]:
    name, equals, url = entry.partition("=")
    if not equals or not name or not url.startswith(("http://", "https://")):
        raise InvalidScenario(f"--url {entry!r}: give NAME=URL, as in other=https://host/iiif/3")
    return name, url


def numbers(text: str, option: str = "--connections", least: int = 1) -> tuple[int, ...]:
    try:
        numbers = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise InvalidScenario(f"{option} {text!r}: give numbers, as in 10,100") from None
    if min(numbers) < least:
        raise InvalidScenario(f"{option} {text!r}: numbers must be at least {least}")
    return numbers
