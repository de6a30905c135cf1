"""What the API works with: the ports of the controllers, for one caller."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from vitrine.api.authorization import CallerRights, rights_of
from vitrine.api.text_proposals import TextProposer
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import objects_journal
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.ingest.publish.curation import Curation
from vitrine.ports import OutcomeTable, UploadAddresses, VersionedStore
from vitrine.settings.departments import Department


@dataclass(frozen=True, kw_only=True)
class Services:
    """The ports, and the controllers upon them."""

    publisher: Publisher
    masters: VersionedStore
    uploads: UploadAddresses
    outcomes: OutcomeTable
    most_master_bytes: int
    """Bytes of an uploaded master."""
    most_photo_bytes: int = 0
    """Bytes of a photograph at the photo door; 0: there is no such door."""
    proposer: TextProposer | None = None
    """The program that proposes alternative texts; None: nobody proposes any."""
    departments: Mapping[str, Department] = field(default_factory=dict)
    """Departments by their names; without any, every caller may change everything."""
    caller: str = ""
    rights: CallerRights = field(default_factory=CallerRights)
    """Rights of the caller."""

    def for_caller(self, caller: str, scopes: Iterable[str]) -> "Services":
        """Return the same with everything that is changed signed by `caller`."""
        journal = objects_journal(self.publisher.records, caller)
        catalogue = replace(self.publisher.catalogue, journal=journal)
        return replace(
            self,
            publisher=replace(self.publisher, catalogue=catalogue),
            caller=caller,
            rights=rights_of(self.departments, caller, scopes),
        )

    def for_collection(self, collection: str) -> "Services":
        """Return the same for one collection of the caller's; for "", as it is.

        Raises Problem with code `collection-forbidden`, and IdentifierRefused.
        """
        if not collection:
            return self
        return replace(self, rights=self.rights.only(parse_identifier(collection)))

    @property
    def objects(self) -> Objects:
        """The objects and collections."""
        return Objects(self.publisher)

    @property
    def register(self) -> Register:
        """The identifiers of images."""
        publisher = self.publisher
        journal = Journal(publisher.records, self.caller)
        return Register(publisher.identifiers, journal, publisher.events, self.rights.home)

    @property
    def redirects(self) -> Redirects:
        """The redirects of images."""
        return Redirects(self.register)

    @property
    def curation(self) -> Curation:
        """What curators do with published images."""
        return Curation(register=self.register, masters=self.masters, outcomes=self.outcomes)

    @property
    def edge_url(self) -> str:
        """Scheme and host of public addresses."""
        return self.publisher.presentation.base
