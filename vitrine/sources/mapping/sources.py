"""What the table of a collection may be harvested from."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class OaiSource:
    """A repository whose records are harvested into the folder that is the table."""

    address: str
    prefix: str
    """Prefix of the format: oai_dc, lido, mods …."""
    set_name: str = ""


@dataclass(frozen=True, kw_only=True)
class IiifSource:
    """A IIIF collection or manifest, whose manifests are harvested into the folder that is the
    table."""

    address: str
    fetches_images: bool = True
    """False: the manifests show them where they are."""
