"""`vitrine-loadtest study renderers`: CPU, time, fidelity and bytes of each kind of derivative."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch
from loadtest.cli.study_run import Figures, Report, Watch, run_study
from vitrine.cli.program import AsJson

SCRATCH = Path(".build/studies")
SERVERS = "ours,iipsrv-patched,iipsrv,iipsrv-cached,iipsrv-memcached,iiif-processor"


def renderers(
    servers: Annotated[
        str,
        typer.Option(
            help="The servers to start and compare, from ours, ours-cached, iipsrv-patched, "
            "iipsrv, iipsrv-cached, iipsrv-memcached and iiif-processor.",
        ),
    ] = SERVERS,
    photograph: Annotated[
        list[str] | None,
        typer.Option(
            help="Use only this photograph, as in kleiber-20. May be repeated.",
            show_default="all, of 12 to 404 megapixels",
        ),
    ] = None,
    request: Annotated[
        list[str] | None,
        typer.Option(
            help="Measure only this kind of request, as in !1024. May be repeated.",
            show_default="all",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(min=0.01, help="Seconds for each request, photograph and server in a round."),
    ] = 0.3,
    rounds: Rounds = 5,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "renderers",
    as_json: AsJson = False,
) -> None:
    """Compare what image servers pay for each kind of derivative, and how faithful they are.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept and marked). 2: nothing was compared.
    """
    from loadtest.cli.raw_run import print_progress
    from loadtest.cli.study_museum import parse_servers
    from loadtest.corpora.photograph_masters import PHOTOGRAPHS
    from loadtest.studies.renderers.renderer_requests import KINDS
    from loadtest.studies.renderers.renderers_study import RenderersStudy, compare_renderers

    def measure(watch: Watch) -> Figures:
        study = RenderersStudy(
            servers=parse_servers(servers),
            photographs=photograph or list(PHOTOGRAPHS),
            kinds=request or list(KINDS),
            seconds=seconds,
            rounds=rounds,
            scratch=scratch,
        )
        return compare_renderers(study, print_progress, watch)

    run_study(_report(), measure, results, name, as_json)


def _report() -> Report:
    from loadtest.studies.renderers.renderers_report import html, text, write_csv, wrong_answers

    return Report(
        bench="renderers",
        text=text,
        html=html,
        write_tables=lambda figures, folder: write_csv(figures, folder / "rounds.csv"),
        all_right=lambda figures: not wrong_answers(figures),
    )
