"""`vitrine photos`: signed forms for the photo door, and the keys that they are signed with."""

import time
from typing import Annotated

import typer

from vitrine.api.photo_forms import MAX_SECONDS, Form, Forms
from vitrine.api.photo_operations import PATH
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson, new_group

Subject = Annotated[
    str, typer.Option("--subject", help="Who sends; photographs are counted by this name.")
]
Seconds = Annotated[
    int, typer.Option(min=1, max=MAX_SECONDS, help="How long the form is valid, in seconds.")
]
PerHour = Annotated[
    int, typer.Option("--per-hour", min=1, max=100_000, help="Most photographs in an hour.")
]
MostMebibytes = Annotated[
    int, typer.Option("--most-mebibytes", min=1, max=256, help="Largest photograph, in MiB.")
]
Store = Annotated[
    bool,
    typer.Option(
        "--store/--no-store",
        help="Let photographs become images, or only have their thumbnails made.",
    ),
]
Withdraw = Annotated[
    bool,
    typer.Option(
        "--withdraw", help="Withdraw all earlier keys: every form that was signed becomes invalid."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Sign forms with which people send photographs.")
    group.command("sign")(sign)
    group.command("new-key")(new_key)
    app.add_typer(group, name="photos")


def sign(
    subject: Subject = "command-line",
    seconds: Seconds = 900,
    per_hour: PerHour = 1_000,
    most_mebibytes: MostMebibytes = 32,
    store: Store = True,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Print a signed form: a token with which somebody may send photographs for some time.

    Exit code 0: printed. 2: wrong usage, or the service is not running.
    """
    form = Form(
        subject=subject,
        expires=int(time.time()) + seconds,
        photos_per_hour=per_hour,
        most_bytes=most_mebibytes << 20,
        store=store,
    )
    with connected(environment) as service:
        token = Forms(service.records).sign(form)
    address = service.edge_url + PATH
    if as_json:
        print_json({"address": address, "token": token, "expires": form.expires})
    else:
        print_lines([token])


def new_key(
    withdraw: Withdraw = False, environment: Environment = DEFAULT, as_json: AsJson = False
) -> None:
    """Make a new key for forms; those of the key before stay valid until they expire.

    Exit code 0: done; the photo door knows within a minute. 2: wrong usage, or the service is not
    running.
    """
    with connected(environment) as service:
        keys = Forms(service.records).add_key(withdraw=withdraw)
    if as_json:
        print_json({"keys": [key.name for key in keys]})
    else:
        earlier = "no earlier forms are valid" if withdraw else "earlier forms stay valid"
        print_lines([f"Forms are now signed with the key {keys[0].name}; {earlier}."])
