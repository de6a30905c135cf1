"""What the services of access work with."""

import os
from collections.abc import Callable
from functools import cache, partial
from typing import Any, cast

from vitrine.access.rights import Access
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.lambda_step import log_record
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.use_counter import DynamoUseCounter
from vitrine.authorization.held import held_access, held_keys, held_secret
from vitrine.authorization.provider import SignIn
from vitrine.authorization.provider_http import PooledHttp, ProviderUnusable
from vitrine.authorization.restrictions import RecordedRestrictions
from vitrine.authorization.services import AuthorizationServices, Subjects
from vitrine.bootstrap.aws_access import environment_access
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.settings.edge import AuthorizationSettings
from vitrine.store.collection_rules import HeldRules

RULES_KEPT_SECONDS = 30.0
"""Time that a change of a collection's rule takes here."""
STEP = "authorize_visitor"


@cache
def admit_services() -> AuthorizationServices:
    """Return the services of a Lambda."""
    settings = AuthorizationSettings.from_environment(os.environ)
    access = environment_access()
    records = S3ObjectStore(access.client("s3"), settings.records_bucket)
    tables = access.client("dynamodb")
    identifiers = DynamoIdentifierTable(tables, settings.identifiers_table)
    table = held_access(records)
    return AuthorizationServices(
        access=table,
        keys=held_keys(records),
        sign_in=_current_sign_in(table, held_secret(records)),
        restrictions=RecordedRestrictions(
            ShownIdentifiers(identifiers, HeldRules(records, RULES_KEPT_SECONDS))
        ),
        uses=DynamoUseCounter(tables, settings.uses_table),
        audit=partial(log_record, STEP, "admitted"),
        subjects=cast("Subjects", settings.audit_subjects),
        base_url=settings.public_base_url,
    )


def _current_sign_in(
    access: Callable[[], Access], secret: Callable[[], str]
) -> Callable[[], SignIn]:
    """Return what signs people in at the provider that the table names now."""
    http = PooledHttp()
    known: dict[tuple[Any, str], SignIn] = {}

    def sign_in() -> SignIn:
        provider = access().provider
        if provider is None:
            raise ProviderUnusable("the table of rights has no [provider] any more")
        name = (provider, secret())
        if name not in known:
            known.clear()
            known[name] = SignIn(provider, http, name[1])
        return known[name]

    return sign_in
