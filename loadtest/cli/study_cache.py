"""`vitrine-loadtest study cache-percent`: QIS's bench.py, against our service or anybody else's."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.study_run import Figures, Report, Watch, run_study
from loadtest.workload.catalogue import Image
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.program import AsJson, stop


def cache(
    url: Annotated[str, typer.Argument(help="Scheme and host of the server.")],
    num_requests: Annotated[int, typer.Argument(min=1, help="How many in all.")] = 1_000,
    cache_percent: Annotated[int, typer.Argument(min=0, max=100, help="From cache.")] = 90,
    num_clients: Annotated[int, typer.Argument(min=1, max=1_000, help="At once.")] = 4,
    only_warm: Annotated[bool, typer.Option("--only-warm", help="End after the warming.")] = False,
    skip_warm: Annotated[bool, typer.Option("--skip-warm", help="Begin without it.")] = False,
    images: Annotated[
        list[str] | None,
        typer.Option(help="CSV, info.json address, or a list of those. Default: our newest."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Equal parameters ask for equal things.")] = 2019,
    environment: Environment = DEFAULT,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    name: Annotated[
        str, typer.Option(help="Of the run's folder in it, behind the date.")
    ] = "cache",
    as_json: AsJson = False,
) -> None:
    """Ask for so many images, of which so many per cent are in a cache; measure both.

    Run `vitrine-loadtest clear-caches` before it, or what is to be new is cached already. Exit
    code 0: all answers were right. 1: some were not, or it was interrupted. 2: nothing was asked.
    """
    from loadtest.fleet.locust_command import check_answers
    from loadtest.studies.cache_percent.cache_percent_study import Study, run

    url = url.rstrip("/")

    def measure(watch: Watch) -> Figures:
        check_answers(url)
        study = Study(
            url=url,
            images=_images(url, images, environment),
            requests=num_requests,
            cache_percent=cache_percent,
            clients=num_clients,
            only_warm=only_warm,
            skip_warm=skip_warm,
            seed=seed,
        )
        return run(study, watch)

    run_study(_report(), measure, results, name, as_json)


def _report() -> Report:
    from loadtest.studies.cache_percent.cache_percent_report import html, text, write_csv

    return Report(
        bench="cache",
        text=text,
        html=html,
        write_tables=lambda figures, folder: write_csv(figures, folder / "rows.csv"),
        all_right=lambda figures: not figures["errors"] and not figures["warming"]["errors"],
    )


def _images(url: str, sources: list[str] | None, environment: str) -> list[Image]:
    from loadtest.fleet.image_lists import images_from, service_images

    if sources:
        return images_from(sources)
    with connected(environment) as service:
        images = service_images(service.identifiers, url)
    if not images:
        stop("Our service has published no images: `vitrine ingest` some, or name --images.")
    return images
