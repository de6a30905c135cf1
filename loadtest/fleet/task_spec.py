"""The specification of a generator elsewhere: the scenario, the files it names, the images."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from loadtest.errors import InvalidScenario
from loadtest.fleet.locust_command import LoadTest
from loadtest.workload.catalogue import Image
from loadtest.workload.scenario import read_scenario
from loadtest.workload.sources import images_as_json, images_from_json

_SCENARIO, _IMAGES = "scenario.toml", "images.json"


@dataclass(frozen=True, kw_only=True)
class TaskSpec:
    """A load test that can be sent: it needs no file of the machine it was written on."""

    url: str
    scenario: str
    """Its TOML."""
    files: Mapping[str, str]
    """The files of the scenario, by the names it uses."""
    images: Sequence[Image]
    users: tuple[int, ...]
    seconds: float
    seed: int | None

    @classmethod
    def of(cls, test: LoadTest) -> "TaskSpec":
        """Return the specification. Raises InvalidScenario when a file of the scenario lies
        outside the scenario's folder."""
        read_scenario(test.scenario)
        text = test.scenario.read_text(encoding="utf-8")
        names = set(_named_files(tomllib.loads(text), with_images=not test.images))
        return cls(
            url=test.url,
            scenario=text,
            files={name: _read_text(test.scenario.parent, name) for name in sorted(names)},
            images=test.images,
            users=test.users,
            seconds=test.seconds,
            seed=test.seed,
        )

    @classmethod
    def from_json(cls, text: str) -> "TaskSpec":
        """Read what `to_json` wrote. Raises InvalidScenario, KeyError, ValueError."""
        values: dict[str, Any] = json.loads(text)
        images = images_from_json(values.pop("images"))
        return cls(**values | {"images": images, "users": tuple(values["users"])})

    def to_json(self) -> str:
        """Everything, as one document."""
        values = {name: value for name, value in vars(self).items() if name != "images"}
        return json.dumps(values | {"images": images_as_json(self.images)})

    def unpack(self, folder: Path) -> tuple[LoadTest, Path | None]:
        """Write the files into `folder`; return the load test, and its catalogue's file if any."""
        for name, text in {_SCENARIO: self.scenario, **self.files}.items():
            path = folder / _inner_path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        catalogue = folder / _IMAGES if self.images else None
        if catalogue:
            catalogue.write_text(images_as_json(self.images))
        test = LoadTest(
            scenario=folder / _SCENARIO,
            url=self.url,
            images=self.images,
            users=self.users,
            seconds=self.seconds,
            seed=self.seed,
        )
        return test, catalogue


def _named_files(document: Mapping[str, Any], *, with_images: bool) -> Iterator[str]:
    if with_images and document.get("images"):
        yield document["images"]
    model = document.get("model", {})
    for entry in (model, *model.get("part", ())):
        if entry.get("file"):
            yield entry["file"]


def _read_text(folder: Path, name: str) -> str:
    try:
        return (folder / _inner_path(name)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidScenario(f"{name} cannot be read: {error}") from None


def _inner_path(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or name in (_IMAGES,):
        raise InvalidScenario(f"{name!r}: only files next to their scenario or below can be sent")
    return path
