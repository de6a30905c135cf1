"""The ports: what the stages need from the outside world, as small protocols.

Each has an AWS adapter (`vitrine.adapters.aws`) and a memory one (`vitrine.adapters.memory`),
and one contract suite that both pass (`tests/contract/`). Every method may raise
`ServiceFailed`; what else it raises stands in its docstring.
"""

from vitrine.ports.messaging import (
    EdgeCache,
    EdgeKeys,
    EventBus,
    MessageQueue,
    Pipeline,
    TakenMessage,
)
from vitrine.ports.objects import (
    DownloadAddresses,
    KeyPage,
    ListedObject,
    MultipartUpload,
    ObjectInfo,
    ObjectPart,
    ObjectStore,
    RangedStore,
    UploadAddresses,
    VersionedStore,
)
from vitrine.ports.tables import (
    CatalogueTable,
    IdentifierTable,
    OutcomeTable,
    Statement,
    UseCounter,
)

__all__ = (
    "CatalogueTable",
    "DownloadAddresses",
    "EdgeCache",
    "EdgeKeys",
    "EventBus",
    "IdentifierTable",
    "KeyPage",
    "ListedObject",
    "MessageQueue",
    "MultipartUpload",
    "ObjectInfo",
    "ObjectPart",
    "ObjectStore",
    "OutcomeTable",
    "Pipeline",
    "RangedStore",
    "Statement",
    "TakenMessage",
    "UploadAddresses",
    "UseCounter",
    "VersionedStore",
)
