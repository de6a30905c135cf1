"""`vitrine-loadtest study cache-percent`: QIS's bench.py, against any IIIF server."""

from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Seed
from loadtest.cli.study_run import Figures, Watch, run_study
from loadtest.workload.catalogue import Image
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.program import AsJson, stop


def cache_percent_study(
    url: Annotated[str, typer.Argument(help="Scheme and host of the server.", metavar="URL")],
    requests: Annotated[int, typer.Option(min=1, help="How many requests to send.")] = 1_000,
    cache_percent: Annotated[
        int,
        typer.Option(
            min=0, max=100, help="Percentage of requests that were sent before, to warm the cache."
        ),
    ] = 90,
    clients: Annotated[int, typer.Option(min=1, max=1_000, help="How many clients at once.")] = 4,
    only_warm: Annotated[
        bool, typer.Option("--only-warm", help="Warm the cache, but measure nothing.")
    ] = False,
    skip_warm: Annotated[
        bool, typer.Option("--skip-warm", help="Measure without warming the cache first.")
    ] = False,
    images: Annotated[
        list[str] | None,
        typer.Option(
            help="The images to request: a CSV file, the address of an info.json, or a text file "
            "with one such address per line. May be repeated.",
            show_default="the newest images of our own service",
        ),
    ] = None,
    seed: Seed = 2019,
    environment: Environment = DEFAULT,
    results: Results = RESULTS,
    name: Name = "cache",
    as_json: AsJson = False,
) -> None:
    """Request images of which a given percentage is cached, and measure both parts.

    Run `vitrine-loadtest clear-caches` first, or requests that should be new are cached already.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted. 2: nothing was
    requested.
    """
    from loadtest.fleet.locust_command import check_answers
    from loadtest.studies.cache_percent.cache_percent_report import REPORT
    from loadtest.studies.cache_percent.cache_percent_study import (
        CachePercentStudy,
        measure_cache_percent,
    )

    url = url.rstrip("/")

    def measure(watch: Watch) -> Figures:
        check_answers(url)
        study = CachePercentStudy(
            url=url,
            images=_read_images(url, images, environment),
            requests=requests,
            cache_percent=cache_percent,
            clients=clients,
            only_warm=only_warm,
            skip_warm=skip_warm,
            seed=seed,
        )
        return measure_cache_percent(study, watch)

    def all_right(run: Figures) -> bool:
        return not run["errors"] and not run["warming"]["errors"]

    run_study(REPORT, measure, all_right, results, name, as_json)


def _read_images(url: str, sources: list[str] | None, environment: str) -> list[Image]:
    from loadtest.fleet.image_lists import images_from, service_images

    if sources:
        return images_from(sources)
    with connected(environment) as service:
        images = service_images(service.identifiers, url)
    if not images:
        stop("Our service has published no images: `vitrine ingest` some, or name --images.")
    return images
