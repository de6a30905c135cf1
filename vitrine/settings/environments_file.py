"""The file `environments.toml`: what is your own about each environment.

Stacks read all of it, commands only where an environment is; neither reads anything else about it.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = "environments.toml"
FILE_VARIABLE = "VITRINE_ENVIRONMENTS_FILE"
"""Variable with the path of another file of this kind."""
BASED_ON = "based_on"


class EnvironmentsUnusable(ValueError):
    """The file, or one of its environments, cannot be used; says what to change."""


@dataclass(frozen=True, kw_only=True)
class EnvironmentPlace:
    """Where an environment is."""

    region: str
    account: str = ""
    domain_name: str = ""
    """Empty: CloudFront's own."""


@dataclass(frozen=True)
class EnvironmentsFile:
    """The tables of a file, by the name of their environment."""

    path: Path
    tables: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, path: Path) -> "EnvironmentsFile":
        """Read a file. Raises EnvironmentsUnusable."""
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise EnvironmentsUnusable(f"{path} cannot be read: {error.strerror}.") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise EnvironmentsUnusable(f"{path} is no TOML: {error}.") from None
        for name, table in document.items():
            if not isinstance(table, dict):
                raise EnvironmentsUnusable(
                    f"{path}: {name} stands outside of an environment's table, such as [prod]."
                )
        return cls(path, document)

    def table(self, name: str) -> Mapping[str, Any]:
        """Return the table of one environment, which has a region. Raises EnvironmentsUnusable."""
        try:
            table = self.tables[name]
        except KeyError:
            known = ", ".join(self.tables) or "none"
            raise EnvironmentsUnusable(
                f"{self.path.name} has no environment {name!r}, only {known}."
            ) from None
        if not isinstance(table.get("region"), str):
            raise EnvironmentsUnusable(
                f"{self.path.name} must say in which region {name!r} is: "
                f'write region = "eu-west-1" below [{name}].'
            )
        return table

    def place(self, name: str) -> EnvironmentPlace:
        """Return where an environment is. Raises EnvironmentsUnusable."""
        table = self.table(name)
        return EnvironmentPlace(
            region=table["region"],
            account=str(table.get("account", "")),
            domain_name=str(table.get("domain_name", "")),
        )
