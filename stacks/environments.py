"""An environment: values that a deployment survives, and what follows from them."""

from dataclasses import dataclass

from stacks.environment_checks import check_environment
from stacks.environment_values import EnvironmentValues
from vitrine.migrate.messages import MASTERS_AT_ONCE
from vitrine.settings.photos import PhotoOptions

FUNCTION_PHOTO_MEBIBYTES = 4
"""Largest photograph that a Lambda takes in a request: an event has at most 6 MB, and the body is
in it as Base64 (Lambda quotas, "Invocation payload")."""
ROUNDS_IN_AN_HOUR = 4
"""RenderQueue of a Lambda in an hour if each takes all of its 15 minutes."""
MAX_EXECUTIONS = 900
"""The starter counts running executions, and one page of ListExecutions has 1,000."""


@dataclass(frozen=True, kw_only=True)
class Environment(EnvironmentValues):
    """One deployment of Vitrine."""

    def __post_init__(self) -> None:
        """Raise ValueError, with a sentence, for values that no deployment survives."""
        check_environment(self)

    @property
    def downloads_at_once(self) -> int:
        """Number of whole images that a gateway process sends at a time.

        A Lambda sends none: it is paid by the second, answers for 90 s, and is slowed down to 2 MB
        a second after the first 6 MB (Lambda, "Response streaming bandwidth limits").
        """
        return 0 if self.image_function else self.deliver.downloads_at_once

    @property
    def needs_network(self) -> bool:
        """True if tasks serve images or convert giants: only they are in a VPC."""
        return self.image_function is None or self.giant_converter is not None

    @property
    def photo_task(self) -> PhotoOptions | None:
        """The options of the photo door if image tasks are it."""
        return None if self.photo_function else self.photos

    @property
    def most_photo_mebibytes(self) -> int:
        """Largest photograph in the body of a request; 0 without a photo door."""
        if not self.photos:
            return 0
        most = self.photos.maximum_photo_mebibytes
        return min(most, FUNCTION_PHOTO_MEBIBYTES) if self.photo_function else most

    @property
    def converters_at_once(self) -> int:
        """Number of masters that are converted at the same time, if all need the same converter:
        what is reserved for it, else half of the account's concurrency."""
        shared = self.account_concurrency // 2
        return min(self.small_converter.at_once or shared, self.large_converter.at_once or shared)

    @property
    def executions_at_once(self) -> int:
        """Number of executions at which, even if all wait for the same converter and each takes its
        full time, the last one's turn comes within the hour that a throttled step outlasts."""
        return min(ROUNDS_IN_AN_HOUR * self.converters_at_once, MAX_EXECUTIONS)

    @property
    def migrations_per_child(self) -> int:
        """Number of masters that one child of a migration has in progress."""
        return min(MASTERS_AT_ONCE, self.executions_at_once)

    @property
    def migration_children(self) -> int:
        """Number of children of a migration at once: together no more than `executions_at_once`."""
        return self.executions_at_once // self.migrations_per_child

    @property
    def deletion_protected(self) -> bool:
        """True: deleting a stack, a table or the load balancer takes a second step."""
        return self.protected and not self.first_deployment

    @property
    def availability_zones(self) -> tuple[str, ...]:
        """Names of the zones: eu-west-1a and eu-west-1b."""
        return tuple(f"{self.region}{letter}" for letter in self.zone_letters)

    @property
    def desk_origins(self) -> tuple[str, ...]:
        """Origins of the desk's pages, from which browsers send masters; none without a desk."""
        if not self.desk:
            return ()
        if self.desk.client:
            return (self.public_base_url,)
        return ("http://127.0.0.1:*", "http://localhost:*")

    @property
    def public_base_url(self) -> str:
        """Scheme and host that viewers use; empty: the Host header decides."""
        return f"https://{self.domain_name}" if self.domain_name else ""
