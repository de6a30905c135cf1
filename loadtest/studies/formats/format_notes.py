"""Notes that a reader of the comparison must know before the figures."""

from typing import Any

from loadtest.figures.generator_limit import is_generator_limited
from loadtest.figures.request_figures import describe_interruption


def list_remarks(figures: dict[str, Any]) -> list[tuple[str, bool]]:
    """Sentences, and whether they are in red."""
    found: list[tuple[str, bool]] = []
    if not figures["complete"]:
        found.append((describe_interruption(figures), True))
    for row in figures["checks"]:
        if row["wrong"]:
            words = (
                f"{row['server']} answers {row['wrong']} of {row['requests']} requests of "
                f"{row['kind']} wrongly from {row['format']}: {row['example']['fault']} "
                f"({row['example']['path']}). Its times mean nothing."
            )
            found.append((words, True))
    for row in figures["served"]:
        name = f"{row['server']}, {row['format']}, {row['kind']}"
        if row["failures"]:
            found.append((f"{name}: {row['failures']} of {row['requests']} failed.", True))
        if is_generator_limited(row["generator_cores"]):
            words = f"{name} is client-bound: the generator took {row['generator_cores']:.0%} of"
            found.append((f"{words} its core, so that it measured itself.", True))
    if figures["servers"]:
        found.append(
            (
                "One request at a time. CPU is of all processes of the server, counted in ticks "
                "of 10 ms over all rounds; decode CPU is what the Python server tells of its own "
                "thread. That server decodes whole tiles, of 512 pixels in both JPEG 2000s and "
                "of 256 in PTIFF; OpenJPEG in iipsrv decodes only the code-blocks that a region "
                "touches.",
                False,
            )
        )
    return found
