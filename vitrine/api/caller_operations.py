"""The caller of the API, and what they may change."""

from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.resources import Caller


def get_caller(call: Call) -> OperationResult:
    """Return who calls, and what belongs to them."""
    rights = call.services.rights
    return OperationResult(
        content=Caller(
            caller=call.services.caller,
            changes_everything=rights.has_all,
            collections=rights.collections,
            proposes_texts=call.services.proposer is not None,
        )
    )


OPERATIONS = (
    Operation(
        name="getCaller",
        method="GET",
        path="/caller",
        summary="Read who the API takes you for, and what you may change.",
        act=get_caller,
        answers={200: Caller},
    ),
)
