"""What commands say about records."""

from datetime import datetime

from vitrine.access.collection_rules import CollectionRules
from vitrine.identify.effective_rule import has_own_rule, rules_of_collections
from vitrine.records import Gone, Live, Record, Redirect, Removed


def local_time(timestamp: str) -> str:
    """Return a moment in RFC 3339 as the clock on this machine's wall shows it, to the minute."""
    return datetime.fromisoformat(timestamp).astimezone().strftime("%Y-%m-%d %H:%M")


def describe_code(code: str, value: str) -> str:
    """Return the code of a rejection or failure, and the value that led to it."""
    return f"code {code}" + (f"; found: {value}" if value else "")


def describe_record(record: Record | None) -> str:
    """Return one line about what an identifier is, or was."""
    match record:
        case Live():
            size = f"{record.width:,} x {record.height:,} px"
            rule = f", access {record.access}" if has_own_rule(record) else ""
            return f"live: {size} of {record.master_key}, version {record.version}{rule}"
        case Redirect():
            return f"redirect to {record.target}" + (f" ({record.note})" if record.note else "")
        case Gone():
            return f"withdrawn {local_time(record.changed_at)}: {record.reason}"
        case Removed(access=rule):
            return f"no image, access {rule}" if rule else "its redirect was removed"
        case None:
            return "never used"


def describe_origin(record: Record | None, rules: CollectionRules | None) -> str:
    """Return where the rule of a record comes from, if that is worth saying."""
    found = rules_of_collections(record, rules) if record else {}
    if record is None or not found:
        return ""
    said = ", ".join(f"{name}: {rule}" for name, rule in sorted(found.items()))
    if has_own_rule(record):
        return f"; it was set for this image, whose collections say otherwise ({said})"
    return f", from its collections ({said})"
