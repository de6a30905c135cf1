"""What two publications of an identifier mean for those who harvest it."""

from vitrine.site.discovery.activities import CREATED, DELETED, MOVED, UPDATED
from vitrine.store.publications import Kind, Moved, Publication, Published


def compare(before: Publication | None, after: Publication) -> tuple[str, Kind | None, str]:
    """Return change, kind and target between two publications; ("", None, "") if none is seen.

    What was never to be seen is nobody's loss: a withdrawal before the first image came is no
    change.
    """
    was = before.kind if isinstance(before, Published) else None
    match after:
        case Published(kind=kind):
            return (UPDATED if was else CREATED), kind, ""
        case Moved(target=target) if was:
            return MOVED, was, target
        case _ if was:
            return DELETED, was, ""
    return "", None, ""
