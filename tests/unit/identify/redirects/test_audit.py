"""An audit finds what does not lead to its end in one step."""

from tests.unit.identify.redirects.interleaved import World, live, redirect
from vitrine.identify.redirects.audit import audit_redirects
from vitrine.identify.redirects.bulk import Workers


def test_an_audit_names_what_is_wrong_and_what_to_do() -> None:
    world = World(
        live("end"),
        redirect("good", "end"),
        redirect("a", "good"),
        redirect("b", "a"),
        redirect("x", "y"),
        redirect("y", "x"),
        redirect("into circle", "x"),
        redirect("lost", "nobody"),
    )
    seen: list[int] = []
    with Workers(2) as workers:
        found = list(audit_redirects(world.redirects(), workers, seen.append))
    assert {item.redirect.identifier: (item.code, item.end) for item in found} == {
        "a": ("chain", "end"),
        "b": ("chain", "end"),
        "x": ("loop", ""),
        "y": ("loop", ""),
        "into circle": ("loop", ""),
        "lost": ("dangling", "nobody"),
    }
    assert seen == [7]
