"""`vitrine-loadtest study formats`: pyramidal TIFF, JPEG 2000 and HTJ2K, encoded and served."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch, Seed
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/formats")


def formats(
    servers: Annotated[
        str,
        typer.Option(help="The servers to compare, from iipsrv, decoders and ours; empty: none."),
    ] = "iipsrv,decoders,ours",
    encode: Annotated[bool, typer.Option(help="Measure the encoders too.")] = True,
    pictures: Annotated[
        int,
        typer.Option(
            min=1, max=50, help="How many photographs (at most 5), or images of the lists."
        ),
    ] = 1,
    url_list: Annotated[
        list[Path] | None,
        typer.Option(help="A file of addresses to request instead. May be repeated."),
    ] = None,
    dimensions: Annotated[
        Path | None, typer.Option(help="A CSV file of the lists' images: id, width, height.")
    ] = None,
    list_requests: Annotated[int, typer.Option(min=1, help="How many requests of each list.")] = 60,
    rounds: Rounds = 5,
    seed: Seed = 2022,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "formats",
    as_json: AsJson = False,
) -> None:
    """Compare formats of access masters: encoding time, size, decoding time in servers.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept and marked). 2: nothing was compared.
    """
    from loadtest.studies.formats.formats_report import REPORT
    from loadtest.studies.formats.formats_study import FormatsStudy, compare_formats

    study = FormatsStudy(
        servers=[word.strip() for word in servers.split(",") if word.strip()],
        encode=encode and not url_list,
        pictures=pictures,
        url_lists=url_list or (),
        dimensions=dimensions,
        list_requests=list_requests,
        rounds=rounds,
        seed=seed,
        scratch=scratch,
    )

    def measure(watch: Watch) -> Figures:
        return compare_formats(study, print_progress, watch)

    def all_right(run: Figures) -> bool:
        return not any(
            [*(row["wrong"] for row in run["checks"]), *(row["failures"] for row in run["rounds"])]
        )

    run_study(REPORT, measure, all_right, results, name, as_json)
