"""Synthesizes one environment: `npx cdk synth -c environment=dev|staging|prod`.

`-c first=true` makes the templates of a first deployment, which protect nothing yet;
`-c as-it-comes=true` leaves `environments.toml` out, and is for one machine: `/mcp` answers, and
where there is an API, there is the desk. `-c flavour=serverless` then gives the environment another
flavour, `-c photos=true` a photo door, `-c access=true` the services of access, `-c ocr=deu+frk`
what reads pages in these languages, `-c text_proposals=ADDRESS` a program that proposes alternative
texts.
"""

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from docs.build.idle_price_page import idle_month
from stacks.constructs.lambda_layers import LayerMissing
from stacks.designs import ENVIRONMENTS
from stacks.environment_values import Desk
from stacks.environments import Environment
from stacks.flavours import take_flavour
from stacks.loadtest import LoadTestStack
from stacks.own_environments import own_environment
from stacks.service import add_stacks, new_app
from stacks.stage import REPOSITORY
from vitrine.settings.edge import AccessOptions
from vitrine.settings.environments_file import (
    FILE,
    FILE_VARIABLE,
    EnvironmentsFile,
    EnvironmentsUnusable,
)
from vitrine.settings.photos import PhotoOptions
from vitrine.settings.present import OcrOptions

app = new_app()


def chosen(option: str) -> bool:
    """Return True if the command line has `-c option=true`."""
    return app.node.try_get_context(option) == "true"


def chosen_environment() -> Environment:
    """Return the environment that is to be synthesized. Raises EnvironmentsUnusable."""
    name = app.node.try_get_context("environment") or "dev"
    if chosen("as-it-comes"):
        design = ENVIRONMENTS[name]
        if design.api:
            design = replace(design, desk=Desk())
        design = replace(design, mcp=True)
        if chosen("photos"):
            design = replace(design, photos=PhotoOptions())
        if chosen("access"):
            design = replace(design, access=AccessOptions())
        if address := app.node.try_get_context("text_proposals"):
            try:
                design = replace(design, text_proposals=address)
            except ValueError as error:
                raise EnvironmentsUnusable(str(error)) from None
        if languages := app.node.try_get_context("ocr"):
            design = replace(design, ocr=OcrOptions(languages=languages))
        if flavour := app.node.try_get_context("flavour"):
            # One machine runs it as the processor that it has.
            return replace(take_flavour(design, flavour), architecture=design.architecture)
        return design
    file = Path(os.environ.get(FILE_VARIABLE) or REPOSITORY / FILE)
    own = own_environment(name, EnvironmentsFile.read(file))
    return replace(own, first_deployment=chosen("first"))


try:
    environment = chosen_environment()
    add_stacks(app, environment)
except (EnvironmentsUnusable, LayerMissing) as problem:
    sys.exit(str(problem))
with suppress(KeyError):  # a region whose prices are not known here
    print(
        f"{environment.name} costs about ${idle_month(environment):,.0f} a month while nobody uses "
        "it; docs/reference/idle-price.md says for what.",
        file=sys.stderr,
    )
if chosen("loadtest"):
    LoadTestStack(app, environment=environment)
app.synth()
