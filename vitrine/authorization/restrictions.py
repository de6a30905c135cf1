"""Which right an image needs, by the record of its identifier."""

from vitrine.access.rules import read_rule
from vitrine.authorization.services import Restricted
from vitrine.errors import IdentifierRefused
from vitrine.identify.public_image import visible_image
from vitrine.identify.redirects.chains import follow_chain
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.records import Live


class RecordedRestrictions:
    """See `vitrine.authorization.services.Restrictions`."""

    def __init__(self, identifiers: ShownIdentifiers) -> None:
        self._identifiers = identifiers

    def find(self, identifier: str) -> Restricted | None:
        """Return it, of the image that a redirect leads to as well. Raises TransientError."""
        try:
            name, record = follow_chain(self._identifiers.get, identifier, away_from="")
        except IdentifierRefused:
            return None
        if not isinstance(record, Live):
            return None
        rule = read_rule(record.access)
        # What is not stored as small as it may be shown is not shown.
        shows = rule.shows if visible_image(record) else "nothing"
        return Restricted(identifier=name, shows=shows, right=rule.right)
