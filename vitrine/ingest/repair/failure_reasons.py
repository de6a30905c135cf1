"""Why an execution failed, in words: from the error names of Lambda and Step Functions.

Sources: Step Functions Developer Guide, "Handling errors in Step Functions workflows" and "Handle
Lambda service exceptions"; Lambda Developer Guide, "Troubleshoot invocation issues".
"""

from vitrine.errors import ConversionLost, ConvertersBusy, Rejection, TransientError

KILLED = "The Lambda was killed, most likely for want of memory."
TOO_SLOW = "The step did not end in its time."
THROTTLED = "AWS had no Lambda free for longer than an hour."
UNREACHABLE = "A service of AWS did not answer for longer than an hour."
OTHER = "A step failed for a reason that is not the master's."
NEVER_ENDED = "The execution was ended from outside before the master was published."
ADVICE = "It can be redriven."

SENTENCES = {
    "Runtime.ExitError": KILLED,
    "Runtime.OutOfMemory": KILLED,
    "Lambda.Unknown": "The Lambda ended without an answer: killed, or out of time.",
    "Sandbox.Timedout": TOO_SLOW,
    "States.Timeout": TOO_SLOW,
    "Lambda.TooManyRequestsException": THROTTLED,
    "Lambda.ServiceException": UNREACHABLE,
    "Lambda.AWSLambdaException": UNREACHABLE,
    "Lambda.SdkClientException": UNREACHABLE,
    "Lambda.ClientExecutionTimeoutException": UNREACHABLE,
    TransientError.__name__: UNREACHABLE,
    ConversionLost.__name__: "The task that converted it was killed, or ended without a result.",
    ConvertersBusy.__name__: "Too many giants were being converted for too long.",
    "Execution.TIMED_OUT": NEVER_ENDED,
    "Execution.ABORTED": NEVER_ENDED,
    "Execution.FAILED": NEVER_ENDED,
}


def failure_reason(error: str, value: str) -> Rejection:
    """Code (the error's own name), sentence and what was seen."""
    return Rejection(error or "Unknown", f"{SENTENCES.get(error, OTHER)} {ADVICE}", value)
