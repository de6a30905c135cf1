"""The one place that chooses concrete adapters. Nothing happens at import."""

from vitrine.bootstrap.changes import (
    deployed_invalidate_services,
    gallery_services,
    invalidate_services,
)
from vitrine.bootstrap.deployed import Deployment, deployment
from vitrine.bootstrap.gateway import access_master_store, identifier_table
from vitrine.bootstrap.pipeline import (
    deployed_reconcile_services,
    ingest_services,
    migration_services,
    reconcile_services,
    starter_services,
)
from vitrine.bootstrap.places import LOCAL, NotRunning, environment_access

__all__ = [
    "LOCAL",
    "Deployment",
    "NotRunning",
    "access_master_store",
    "deployed_invalidate_services",
    "deployed_reconcile_services",
    "deployment",
    "environment_access",
    "gallery_services",
    "identifier_table",
    "ingest_services",
    "invalidate_services",
    "migration_services",
    "reconcile_services",
    "starter_services",
]
