"""What all container images are made from, as `containers/bases.toml` has it."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from stacks.stage import REPOSITORY

FILE = REPOSITORY / "containers" / "bases.toml"


@dataclass(frozen=True, kw_only=True)
class ContainerBases:
    """A base image and a moment of Debian's packages; each empty until it is pinned."""

    image: str
    digest: str
    snapshot: str

    @classmethod
    def read(cls, file: Path = FILE) -> "ContainerBases":
        """Return what the file says. Raises TypeError if a line is missing or unknown."""
        return cls(**tomllib.loads(file.read_text()))

    def build_arguments(self) -> dict[str, str]:
        """Return the arguments of the Dockerfiles, which refuse to build without them; none if one
        of the two is not pinned."""
        if not (self.digest and self.snapshot):
            return {}
        return {"BASE": f"{self.image}@{self.digest}", "SNAPSHOT": self.snapshot}
