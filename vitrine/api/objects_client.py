"""A person's changes of objects and collections, made by the API with the person's rights there."""

from dataclasses import dataclass, replace

from vitrine.api.client import ApiClient
from vitrine.catalogue.objects import ChangeResult, Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Item
from vitrine.errors import ObjectRefused, PreconditionFailed, RevisionChanged
from vitrine.identify.identifier import parse_identifier
from vitrine.store.conditional_writes import retry_if_changed


@dataclass(frozen=True, kw_only=True)
class ObjectsClient:
    """Changes objects by the API. Its methods are those of `Objects`, and raise the same."""

    api: ApiClient
    publisher: Publisher
    """Publisher to read with; it writes only records that no call of the API has room for.
    """
    collection: str = ""
    """Collection on whose behalf all is put, whose rule stays if it is closed; "" for none."""

    def put(
        self, item: Item, *, over: int | None = None, replace_withdrawn: bool = False
    ) -> ChangeResult:
        """Let an identifier show this object or collection, from now on."""
        name = item.identifier

        def write() -> bool:
            expected = self._revision_of(name) if over is None else over
            try:
                done = self.api.put_item(
                    item,
                    over=expected,
                    collection=self.collection,
                    replace_withdrawn=replace_withdrawn,
                )
            except RevisionChanged as error:
                if over is not None:
                    raise RevisionChanged(name, error.found, over) from error
                raise PreconditionFailed(name) from error
            return done.changed

        try:
            is_changed = retry_if_changed(write, f'"{name}"')
        except ObjectRefused as error:
            if error.code != "body-too-large" or self.collection:
                raise
            objects = Objects(self.publisher)
            return objects.put(item, over=over, replace_withdrawn=replace_withdrawn)
        return self._result(name, is_changed)

    def withdraw(self, identifier: str, reason: str) -> ChangeResult:
        """Take an object off the web: its addresses answer 410 with this reason."""
        name = parse_identifier(identifier)

        def write() -> bool:
            try:
                done = self.api.withdraw_object(name, reason, over=self._revision_of(name))
            except RevisionChanged as error:
                raise PreconditionFailed(name) from error
            return done.changed

        return self._result(name, retry_if_changed(write, f'"{name}"'))

    def rename(self, old: str, new: str) -> ChangeResult:
        """Give an object another identifier; the old one then redirects there."""
        old, new = parse_identifier(old), parse_identifier(new)
        return self._result(old, self.api.rename_object(old, new).changed)

    def _revision_of(self, name: str) -> int:
        current = self.publisher.journal.latest(name)
        return current.revision if current else 0

    def _result(self, name: str, is_changed: bool) -> ChangeResult:
        record, publishing = self.publisher.journal.latest(name), self.publisher.published(name)
        assert record, "it was changed just now"
        assert publishing, "it was changed just now"
        return ChangeResult(record, is_changed, replace(publishing, made=is_changed))
