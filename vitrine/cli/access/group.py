"""`vitrine access`: who may see what is set here, and nowhere else."""

import typer

from vitrine.cli.access import rights
from vitrine.cli.access.collection import restrict_collection
from vitrine.cli.access.image import restrict_image
from vitrine.cli.access.keys import revoke, rotate_keys, sync
from vitrine.cli.access.share import share, unshare
from vitrine.cli.console.program import new_group


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Say who may see what.")
    group.command("image")(restrict_image)
    group.command("collection")(restrict_collection)
    rights.register(group)
    group.command("share")(share)
    group.command("unshare")(unshare)
    group.command("revoke")(revoke)
    group.command("rotate-keys")(rotate_keys)
    group.command("sync")(sync)
    app.add_typer(group, name="access")
