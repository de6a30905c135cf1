"""Changes of images, redirects and objects by a person: through the API where it lets them in."""

from collections.abc import Container

from vitrine.adapters.aws.signed_api import SignedApi
from vitrine.api.client import ApiClient
from vitrine.api.curation_client import CurationClient, RedirectsClient
from vitrine.api.objects_client import ObjectsClient
from vitrine.api.resources import Caller
from vitrine.api.table_client import TableClient
from vitrine.bootstrap.deployed_services import api_door, deployed_publisher
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.environments import access_to, outputs
from vitrine.catalogue.objects import Objects
from vitrine.identify.redirects.redirects import Redirects
from vitrine.ingest.publish.curation import Curation
from vitrine.sources.mapping.mapping_file import MappingUnusable


def api_of_curators(environment: str) -> ApiClient | None:
    """Return the API for a caller who may change something by it; raises as `find_api`."""
    found = find_api(environment)
    return found and found[0]


def find_api(environment: str) -> tuple[ApiClient, Caller] | None:
    """Return the API with what its caller may change by it.

    None where commands have no API to sign for, and for those whom it does not let in or who are
    members of no department: they change what AWS lets them, as those who operate the environment
    do. Raises NotRunning, ServiceRefused and TransientError.
    """
    access, stage = access_to(environment)
    if outputs(access, stage, "api").get("ApiAccess") != "iam":
        return None
    api = ApiClient(send=SignedApi(access, api_door(environment).address).send)
    caller = api.caller()
    if caller is None or not (caller.changes_everything or caller.collections):
        return None
    return api, caller


def table_client(
    environment: str,
    collection: str,
    replace_withdrawn: Container[str] = (),
    *,
    takes_over: bool = False,
) -> TableClient | None:
    """Return what publishes a table through the API; None for a caller who may do so themselves.

    These are all for whom `find_api` finds none, and all where there is no department; and with
    `takes_over`, which the API does for nobody, those who may change everything. Raises
    MappingUnusable for a collection that is not the caller's, and as `find_api`.
    """
    found = find_api(environment)
    if found is None:
        return None
    api, caller = found
    if caller.changes_everything:
        if takes_over or not caller.collections:
            return None
    elif collection not in caller.collections:
        raise MappingUnusable(
            f'[collection] identifier: "{collection}" is no collection of yours, and you may '
            f"publish {', '.join(caller.collections)}."
        )
    return TableClient(
        api=api,
        publisher=deployed_publisher(environment),
        collection=collection,
        replace_withdrawn=replace_withdrawn,
    )


def own_curation(service: Deployment) -> Curation:
    """Return the ports through which images are changed with the rights of who runs the command."""
    return Curation(register=service.register, masters=service.masters, outcomes=service.outcomes)


def curation_of(service: Deployment) -> Curation | CurationClient:
    """Return what changes images; raises as `api_of_curators`."""
    api = api_of_curators(service.environment)
    own = own_curation(service)
    return CurationClient(api=api, own=own) if api else own


def redirects_of(service: Deployment) -> Redirects | RedirectsClient:
    """Return what changes redirects; raises as `api_of_curators`."""
    api = api_of_curators(service.environment)
    return (
        RedirectsClient(api=api, table=service.identifiers) if api else Redirects(service.register)
    )


def objects_of(environment: str) -> Objects | ObjectsClient:
    """Return what changes objects and collections; raises as `api_of_curators`."""
    api, publisher = api_of_curators(environment), deployed_publisher(environment)
    return ObjectsClient(api=api, publisher=publisher) if api else Objects(publisher)
