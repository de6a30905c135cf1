"""A folder with the manifests of a IIIF collection, and one with their images."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from vitrine.sources.harvest.guarded_http import NotHarvested
from vitrine.sources.harvest.kept_folder import (
    Harvest,
    KeptFolder,
    OnProgress,
    file_name,
    resumed,
    so_far,
)
from vitrine.sources.iiif import full_image
from vitrine.sources.iiif.collection_walk import walk
from vitrine.sources.iiif.read_manifest import (
    ManifestUnusable,
    ReadManifest,
    parse_document,
    read_manifest,
)

SUFFIX = ".json"
MANIFESTS, COLLECTIONS, TAGS, PLACE = "manifests", "collections", "etags", "place"
"""In the state: names of files in their order, what lists what, ETags by file, and the address of
the manifest that was the last one of a harvest that was stopped."""


class ManifestHttp(full_image.ImageHttp, Protocol):
    """Asks servers of others; `GuardedHttp` does."""

    def get_changed(self, address: str, tag: str) -> tuple[bytes | None, str]: ...


@dataclass(frozen=True)
class ManifestFolder:
    """`folder` has the manifests below one address."""

    folder: Path
    address: str
    http: ManifestHttp
    masters: Path | None
    """The folder of their images; None if the manifests show them where they are."""

    def harvest(
        self, *, everything: bool = False, on_progress: OnProgress = lambda done: None
    ) -> Harvest:
        """Fetch manifests that changed, and images that are not here; see `HarvestSource.harvest`.

        A manifest or image that cannot be fetched is named, and the others are. A manifest that no
        collection lists any more is removed, if every collection answered.
        """
        kept = KeptFolder(self.folder, SUFFIX, (self.address, "IIIF"))
        kept.prepare()
        state = {} if everything else kept.read_state()
        walked = walk(self.address, self.http.get)
        place = state.get(PLACE, "")
        begin = walked.manifests.index(place) + 1 if place in walked.manifests else 0
        result = resumed(state) if begin else Harvest()
        result.failures += walked.failures
        collections = [asdict(one) for one in walked.collections]
        if walked.failures:
            collections = _with_those_before(collections, state.get(COLLECTIONS, []))
        names: list[str] = []
        tags: dict[str, str] = dict(state.get(TAGS, {}))
        is_through = False
        try:
            for done, address in enumerate(walked.manifests, start=1):
                name = file_name(address, SUFFIX)
                result.seen.add(name)
                if done > begin:
                    self._fetch(kept, address, name, tags, result)
                if (self.folder / name).exists():
                    names.append(name)
                    if done > begin:
                        self._fetch_images(name, everything, result)
                place = address
                if done > begin:
                    on_progress(done)
            if not walked.failures:
                kept.remove_others(result)
            is_through = True
        finally:
            # Of a harvest that was stopped, what comes behind its place is as it was.
            is_whole = is_through and not walked.failures
            order = names if is_whole else _joined(names, state.get(MANIFESTS, []))
            listed = set(order)
            known = {name: tag for name, tag in tags.items() if name in listed}
            found = {MANIFESTS: order, COLLECTIONS: collections, TAGS: known}
            kept.write_state(found if is_through else found | {PLACE: place} | so_far(result))
        return result

    def _fetch(
        self, kept: KeptFolder, address: str, name: str, tags: dict[str, str], result: Harvest
    ) -> None:
        """Write the manifest's file if it changed; of one that cannot be used, keep the old one."""
        tag = tags.get(name, "") if (self.folder / name).exists() else ""
        try:
            body, new_tag = self.http.get_changed(address, tag)
            if body is None:
                result.unchanged += 1
                return
            parse_document(body)
        except NotHarvested as error:
            result.failures.append(str(error))
        except ManifestUnusable as error:
            result.failures.append(f"{address} cannot be used: {error}")
        else:
            kept.keep(name, body, result)
            tags[name] = new_tag

    def _fetch_images(self, name: str, everything: bool, result: Harvest) -> None:
        if self.masters is None:
            return
        self.masters.mkdir(parents=True, exist_ok=True)
        try:
            read = read_kept(self.folder / name)
        except ManifestUnusable:
            return  # `check` says why
        for identifier, image in read.images.items():
            path = self.masters / full_image.image_file_name(identifier, image)
            if path.exists() and not everything:
                continue
            try:
                note = full_image.fetch_image(image, self.http, path)
            except NotHarvested as error:
                result.failures.append(str(error))
                continue
            result.images += 1
            result.notes += [note] if note else []


def read_kept(path: Path, *, refers: bool = False) -> ReadManifest:
    """Return the manifest in a file. Raises ManifestUnusable, OSError."""
    return read_manifest(parse_document(path.read_bytes()), refers=refers)


def _joined(names: Iterable[str], before: Iterable[str]) -> list[str]:
    """Return names, then those of an earlier harvest that a failure may have hidden."""
    return list(dict.fromkeys([*names, *before]))


def _with_those_before(now: list[Any], before: list[Any]) -> list[Any]:
    found = {one["address"] for one in now}
    return [*now, *(one for one in before if one["address"] not in found)]
