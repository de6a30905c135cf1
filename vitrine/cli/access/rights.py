"""`vitrine access rights`: the institution's table of rights to restricted images."""

import sys
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from vitrine.access.rights import MAX_FILE_LENGTH, Access, read_access, read_new_access
from vitrine.access.rules import read_rule
from vitrine.bootstrap.deployed_services import has_access_services
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.environments import LOCAL
from vitrine.cli.access.keys import make_keys
from vitrine.cli.console.environment import DEFAULT, Environment, connected, require_described
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, new_group, stop
from vitrine.errors import AccessRefused, ObjectMissing
from vitrine.store.layout import ACCESS_SECRET, ACCESS_TABLE

MAX_SECRET_LENGTH = 1_000
SHOWN = 10
"""Images that a refusal names."""
RULED_STATES = ("live", "gone", "removed")
"""States of identifiers whose rule counts, or counts again: a redirect has that of its target."""
File = Annotated[Path, typer.Argument(help="The table, such as access.toml.", metavar="FILE")]
SecretFile = Annotated[
    Path, typer.Argument(help="A file with the secret and nothing else.", metavar="FILE")
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Say who has which right: the table of rights.")
    for command in (use, show, secret):
        group.command(command.__name__)(command)
    app.add_typer(group, name="rights")


def use(file: File, environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Check a table of rights, and use it from now on; the first one makes the key of tickets.

    The table has to contain every right that an image needs; otherwise nobody could be let in to
    that image. Then `vitrine access image ID RIGHT` restricts an image to those with a right.

    Exit code 0: it is used; services and images know within a minute. 1: it is not usable, and the
    message says why. 2: wrong usage, or the service is not running.
    """
    require_described(environment)
    content = _read(file, MAX_FILE_LENGTH + 1)
    try:
        access = read_new_access(content)
    except AccessRefused as error:
        print_message(f"{file} is not usable: {error}.")
        raise typer.Exit(UNSUCCESSFUL) from None
    with connected(environment) as service:
        if missing := _find_needed(service, {*read_rights(service)} - {*access.rights}):
            print_message(f"{file} is not used: {missing}")
            raise typer.Exit(UNSUCCESSFUL)
        make_keys(service)
        service.records.put(ACCESS_TABLE, content, content_type="application/toml")
        warn_without_services(service)
    _print_access(access, as_json)


def show(environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Show the table of rights that is used.

    Exit code 0: shown. 1: there is no table. 2: the service is not running.
    """
    with connected(environment) as service:
        try:
            content, _ = service.records.get(ACCESS_TABLE)
        except ObjectMissing:
            print_message(
                "There is no table of rights: `vitrine access rights use FILE` makes it known."
            )
            raise typer.Exit(UNSUCCESSFUL) from None
    _print_access(read_access(bytes(content)), as_json)


def secret(file: SecretFile, environment: Environment = DEFAULT) -> None:
    """Store the client secret that the OpenID Connect provider gave us; an empty file removes it.

    Exit code 0: it is used within a minute. 2: wrong usage, or the service is not running.
    """
    require_described(environment)
    content = _read(file, MAX_SECRET_LENGTH + 1).strip()
    if len(content) > MAX_SECRET_LENGTH or not content.isascii():
        stop(
            f"{file} is no secret: it has more than {MAX_SECRET_LENGTH:,} bytes, or not only ASCII."
        )
    with connected(environment) as service:
        service.records.put(ACCESS_SECRET, content, content_type="text/plain")
    print_lines(["The secret is used from now on." if content else "There is no secret any more."])


def read_rights(service: Deployment) -> Collection[str]:
    """Return the rights that somebody may have, by the table that is used."""
    try:
        content, _ = service.records.get(ACCESS_TABLE)
    except ObjectMissing:
        return ()
    return read_access(bytes(content)).rights


def warn_without_services(service: Deployment) -> None:
    """Say on standard error if there is a table, and no service that lets people in by it."""
    try:
        service.records.get(ACCESS_TABLE)
    except ObjectMissing:
        return
    if has_access_services(service.environment):
        return
    where = service.environment
    print_message(
        "The table of rights lets nobody in: this service was started without ACCESS=yes. Run "
        "`make down`, then `make up ACCESS=yes`."
        if where == LOCAL
        else f"The table of rights lets nobody in: write [{where}.access] into environments.toml, "
        "and deploy it."
    )


def _find_needed(service: Deployment, dropped: Collection[str]) -> str:
    """Return a sentence about the rules that need one of these rights, "" if none does.

    All records are read, which takes a minute or so for a million.
    """
    if not dropped:
        return ""
    needed = [
        f"{record.identifier} ({record.access})"
        for state in RULED_STATES
        for record in service.shown.by_state(state, sys.maxsize)
        if read_rule(record.access).right in dropped
    ]
    rules = service.rules()
    needed += [
        f"the collection {name} ({one.rule})"
        for name, one in (rules.collections.items() if rules else ())
        if read_rule(one.rule).right in dropped
    ]
    if not needed:
        return ""
    more = f" and {len(needed) - SHOWN:,} more" if len(needed) > SHOWN else ""
    return (
        f"it has no right {' and no right '.join(sorted(dropped))}, and these images need one: "
        f"{', '.join(sorted(needed)[:SHOWN])}{more}. "
        "Give them other rules first, by `vitrine access image`."
    )


def _read(file: Path, most: int) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(most)
    except OSError as error:
        stop(f"{file} cannot be read: {error.strerror}.")


def _print_access(access: Access, as_json: bool) -> None:
    if as_json:
        rights = {
            name: {"kind": right.kind, "hours": right.hours}
            for name, right in access.rights.items()
        }
        print_json({"rights": rights, "origins": list(access.origins)})
        return
    words = {"role": "the group {}", "place": "addresses in {}", "terms": "everybody who accepts"}
    for name, right in access.rights.items():
        what = words[right.kind].format(right.group or ", ".join(right.networks))
        print_lines([f"{name}: {what}, for {right.hours} h at a time"])
