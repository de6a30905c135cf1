"""Which right an image needs, by the record of its identifier."""

from vitrine.access.rules import read_rule
from vitrine.admit.services import Restricted
from vitrine.identify.public_image import visible_image
from vitrine.identify.resolve import LONGEST_CHAIN
from vitrine.ports import IdentifierTable
from vitrine.records import Live, Redirect


class RecordedRestrictions:
    """See `vitrine.admit.services.Restrictions`."""

    def __init__(self, identifiers: IdentifierTable) -> None:
        self._identifiers = identifiers

    def find(self, identifier: str) -> Restricted | None:
        """Return it, of the image that a redirect leads to, too. Raises TransientError."""
        for _ in range(LONGEST_CHAIN + 1):
            record = self._identifiers.get(identifier)
            if isinstance(record, Redirect):
                identifier = record.target
                continue
            if not isinstance(record, Live):
                return None
            rule = read_rule(record.access)
            # What is not stored as small as it may be shown is not shown.
            shows = rule.shows if visible_image(record) else "nothing"
            return Restricted(identifier=identifier, shows=shows, right=rule.right)
        return None
