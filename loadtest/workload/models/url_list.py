"""A list of addresses, recorded or published, requested in its order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue
from loadtest.workload.request import Model, Step, Visitor, draw_seconds
from loadtest.workload.target import INFO, Target


@dataclass(frozen=True, kw_only=True)
class UrlList:
    """Each address once, shared out among the users, then it is done."""

    needs_images: ClassVar[bool] = False

    file: str = ""
    """A text file with one address on each line, relative to the scenario."""
    addresses: tuple[str, ...] = ()
    """The addresses themselves, in place of a file."""
    prefix: str = ""
    """Prefix of each address: `/iiif/2/` if a line is `x/full/max/0/default.jpg`."""
    deduplicate: bool = False
    """Leave out what came before."""
    repeat: bool = False
    """Begin again at the end; only then it can be part of a mix."""
    think_seconds: tuple[float, float] = (0.0, 0.0)
    """Least and most seconds between an answer and the next request."""

    @property
    def ends(self) -> bool:
        """Unless it is repeated."""
        return not self.repeat

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """Return the model. Raises InvalidScenario for an empty list or a line without address."""
        addresses: Iterable[str] = (line.strip() for line in self.addresses)
        addresses = [line for line in addresses if line and not line.startswith("#")]
        if self.deduplicate:
            addresses = dict.fromkeys(addresses)
        targets = [listed_target(self.prefix + address) for address in addresses]
        if not targets:
            raise InvalidScenario("the list has no addresses: it needs one on each line")
        return _List(targets, self.think_seconds, self.repeat)


def listed_target(path: str) -> Target:
    """Return the target of an address of which nothing else is known."""
    if not path.startswith("/") or any(sign.isspace() for sign in path):
        raise InvalidScenario(
            f"{path[:80]!r} is no address from the host's root on; "
            'if only its beginning is missing, say prefix = "/iiif/3/"'
        )
    _, _, end = path.rpartition("/")
    if end == "info.json":
        return Target(INFO, path)
    parts = path.rsplit("/", 4)
    whole = len(parts) == 5 and parts[1] == "full"
    return Target("whole" if whole else "region", path)


@dataclass(frozen=True)
class _List:
    targets: Sequence[Target]
    think_seconds: tuple[float, float]
    repeat: bool

    def visit(self, visitor: Visitor) -> Iterable[Step] | None:
        """Return one address: user by user in the order of the list."""
        place = visitor.visits * visitor.users + visitor.number
        if place >= len(self.targets) and not self.repeat:
            return None
        target = self.targets[place % len(self.targets)]
        return (((target,), draw_seconds(visitor.random, self.think_seconds)),)
