"""Every setting, declared once: name, type, unit (in the name), default, and what it does.

There is one class of settings for each process. It inherits what an operator may choose from a
class of options, which is a field of the environment (`environments.toml`). The rest of its
settings are marked: `derived_from` names what of the environment the stacks compute a setting
from, `wiring` marks names and addresses that only the stacks know.

The stacks write settings (`to_environment`), the processes read them (`from_environment`), and
`docs/reference/settings.md` is generated from them.
"""

from vitrine.settings.declaration import variable_name
from vitrine.settings.deliver import DeliverOptions, DeliverSettings
from vitrine.settings.edge import AccessOptions, AuthorizationSettings, InvalidateSettings
from vitrine.settings.ingest import IngestOptions, IngestSettings
from vitrine.settings.photos import PhotoOptions, PhotoSettings
from vitrine.settings.present import (
    ApiSettings,
    OcrOptions,
    OcrSettings,
    PresentOptions,
    PresentSettings,
    PublishSettings,
    SiteSettings,
)

__all__ = (
    "AccessOptions",
    "ApiSettings",
    "AuthorizationSettings",
    "DeliverOptions",
    "DeliverSettings",
    "IngestOptions",
    "IngestSettings",
    "InvalidateSettings",
    "OcrOptions",
    "OcrSettings",
    "PhotoOptions",
    "PhotoSettings",
    "PresentOptions",
    "PresentSettings",
    "PublishSettings",
    "SiteSettings",
    "variable_name",
)
