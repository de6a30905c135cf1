"""Scenarios: named workloads in TOML files, read with errors that say which key, where, and what
is allowed."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue
from loadtest.workload.mix import Mix, MixPart
from loadtest.workload.models import MODELS, Options
from loadtest.workload.models.cache_percent import CacheList
from loadtest.workload.models.url_list import UrlList
from loadtest.workload.request import Workload

MIX = "mix"
_SAYS_WHICH = "kind"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """The content of one file; the images come from elsewhere unless `images` names them."""

    options: Options
    title: str = ""
    """Its purpose, in a line."""
    seed: int = 1
    """Seed of all random numbers: the same seed, the same requests."""
    users: tuple[int, ...] = (10,)
    """Users at once, stage after stage; one number for a scenario that ends."""
    seconds: float = 60.0
    """Length of each stage once all its users run; unused if the list ends."""
    connections: int = 6
    """Simultaneous requests of a user, within a step: browsers have 6 per host."""
    images: str = ""
    """CSV file of the catalogue, relative to the scenario."""

    def __post_init__(self) -> None:
        if not self.users or min(self.users) < 1 or self.seconds <= 0 or self.connections < 1:
            raise InvalidScenario("users, seconds and connections must be above 0")
        if self.options.ends and len(self.users) > 1:
            raise InvalidScenario(
                f"users = {list(self.users)}: this model ends when its list does, so that it has "
                "one stage; give one number"
            )

    @property
    def most_users(self) -> int:
        """Most users of any stage: a list is divided among them."""
        return max(self.users)

    def workload(self, catalogue: Catalogue | None = None) -> Workload:
        """Return the generator of this scenario's requests. Raises InvalidScenario."""
        if self.options.needs_images and catalogue is None:
            raise InvalidScenario("this scenario needs a catalogue of images")
        model = self.options.bind(catalogue, self.seed)
        warm = model.warm if isinstance(model, CacheList) else ()
        return Workload(model, self.seed, ends=self.options.ends, warm=warm)


def read_scenario(path: Path) -> Scenario:
    """Read a scenario and the list of addresses it names. Raises InvalidScenario with the file's
    name, for a file that is not there as well."""
    try:
        return parse_scenario(path.read_text(encoding="utf-8"), path.parent)
    except (InvalidScenario, UnicodeDecodeError) as error:
        raise InvalidScenario(f"{path}: {error}") from None
    except OSError as error:
        raise InvalidScenario(f"{path}: cannot be read: {error.strerror}") from None


def parse_scenario(text: str, folder: Path) -> Scenario:
    """Read a scenario from its TOML; files that it names lie in `folder`. Raises
    InvalidScenario."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidScenario(f"is no TOML: {error}") from None
    model = document.pop("model", None)
    if not isinstance(model, dict):
        raise InvalidScenario("has no table [model], which says what is requested")
    options = _read_model(model, "[model]", folder)
    values = _read_values(Scenario, document, "the top level", leave={"options"})
    return Scenario(**values, options=options)


def _read_model(table: Mapping[str, Any], where: str, folder: Path) -> Options:
    kind = table.get(_SAYS_WHICH)
    known = [*MODELS, MIX] if where == "[model]" else list(MODELS)
    if kind not in known:
        raise InvalidScenario(
            f"{where}: kind = {kind!r} is no model; there are {', '.join(known)}"
            f"{_suggest_name(str(kind), known)}"
        )
    rest = {name: value for name, value in table.items() if name != _SAYS_WHICH}
    if kind == MIX:
        return _read_mix(rest, folder)
    options = _build_options(MODELS[kind], rest, f"{where} ({kind})")
    return _with_addresses(options, where, folder) if isinstance(options, UrlList) else options


def _read_mix(table: dict[str, Any], folder: Path) -> Mix:
    entries = table.pop("part", None)
    if table:
        raise InvalidScenario(
            f"[model] (mix) has no key {next(iter(table))!r}; it has kind and the tables "
            "[[model.part]]"
        )
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InvalidScenario("[model] (mix) needs tables [[model.part]], one for each model")
    parts = []
    for number, entry in enumerate(entries, 1):
        where = f"[[model.part]] number {number}"
        weight = entry.pop("weight", None)
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise InvalidScenario(f"{where}: weight must be a number, not {weight!r}")
        parts.append(MixPart(weight, _read_model(entry, where, folder)))
    return Mix(parts)


def _with_addresses(options: UrlList, where: str, folder: Path) -> UrlList:
    if bool(options.file) == bool(options.addresses):
        raise InvalidScenario(f"{where} (url-list) needs either file or addresses")
    if not options.file:
        return options
    try:
        lines = (folder / options.file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidScenario(f"{where}: {options.file} cannot be read: {error}") from None
    values = {item.name: getattr(options, item.name) for item in fields(options)}
    return UrlList(**values | {"addresses": tuple(lines)})


def _build_options(kind: type[Options], table: Mapping[str, Any], where: str) -> Options:
    values = _read_values(kind, table, where)
    try:
        return kind(**values)
    except InvalidScenario as error:
        raise InvalidScenario(f"{where}: {error}") from None


def _read_values(
    kind: type[Any],
    table: Mapping[str, Any],
    where: str,
    leave: frozenset[str] | set[str] = frozenset(),
) -> dict[str, Any]:
    hints = get_type_hints(kind)
    allowed = [item.name for item in fields(kind) if item.name not in leave]
    values = {}
    for name, value in table.items():
        if name not in allowed:
            raise InvalidScenario(
                f"{where} has no key {name!r}; it has {', '.join(allowed)}"
                f"{_suggest_name(name, allowed)}"
            )
        values[name] = _convert_value(value, hints[name], f"{where}: {name}")
    return values


def _convert_value(value: Any, hint: Any, where: str) -> Any:
    """`value` as the type wants it: lists become tuples, whole numbers floats. Raises
    InvalidScenario."""
    if get_origin(hint) is Literal:
        if value in get_args(hint):
            return value
    elif get_origin(hint) is tuple:
        inner = get_args(hint)
        if isinstance(value, list) and inner[-1] is Ellipsis:
            return tuple(_convert_value(item, inner[0], where) for item in value)
        if isinstance(value, list) and len(value) == len(inner):
            return tuple(_convert_value(*pair, where) for pair in zip(value, inner, strict=True))
    elif hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    elif isinstance(value, hint) and not (isinstance(value, bool) and hint is not bool):
        return value
    raise InvalidScenario(f"{where} must be {_describe_type(hint)}, not {value!r}")


_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def _describe_type(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(repr(word) for word in get_args(hint))
    if get_origin(hint) is tuple:
        inner = [word for word in get_args(hint) if word is not Ellipsis]
        count = "a list, each" if Ellipsis in get_args(hint) else f"a list of {len(inner)}, each"
        return f"{count} {_WORDS[inner[0]]}"
    return _WORDS.get(hint, getattr(hint, "__name__", NoneType.__name__))


def _suggest_name(name: str, allowed: list[str]) -> str:
    close = get_close_matches(name, allowed, 1)
    return f" (did you mean {close[0]}?)" if close else ""
