"""Why an execution failed, in words: from the error names of Lambda and Step Functions.

Sources: Step Functions Developer Guide, "Handling errors in Step Functions workflows" and "Handle
Lambda service exceptions"; Lambda Developer Guide, "Troubleshoot invocation issues".
"""

from vitrine.errors import ConversionLost, ConvertersBusy, Rejection, TransientError

KILLED = "The Lambda was killed, most likely because its memory was full."
TOO_SLOW = "The step took longer than it may."
THROTTLED = "AWS had no free Lambda for more than an hour."
UNREACHABLE = "An AWS service did not answer for more than an hour."
OTHER = "A step failed, but not because of the master."
NEVER_ENDED = "The execution was stopped from outside before the master was published."
ADVICE = "It can be redriven."

SENTENCES = {
    "Runtime.ExitError": KILLED,
    "Runtime.OutOfMemory": KILLED,
    "Lambda.Unknown": "The Lambda ended without an answer: it was killed or ran out of time.",
    "Sandbox.Timedout": TOO_SLOW,
    "States.Timeout": TOO_SLOW,
    "Lambda.TooManyRequestsException": THROTTLED,
    "Lambda.ServiceException": UNREACHABLE,
    "Lambda.AWSLambdaException": UNREACHABLE,
    "Lambda.SdkClientException": UNREACHABLE,
    "Lambda.ClientExecutionTimeoutException": UNREACHABLE,
    TransientError.__name__: UNREACHABLE,
    ConversionLost.__name__: "The converting task was killed or ended without a result.",
    ConvertersBusy.__name__: "All slots for giants were taken for too long.",
    "Execution.TIMED_OUT": NEVER_ENDED,
    "Execution.ABORTED": NEVER_ENDED,
    "Execution.FAILED": NEVER_ENDED,
}


def failure_reason(error: str, value: str) -> Rejection:
    """Return code (the name of the error), sentence and value for an error of Step Functions."""
    return Rejection(error or "Unknown", f"{SENTENCES.get(error, OTHER)} {ADVICE}", value)
