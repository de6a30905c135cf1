"""What these tests start, and where it listens."""

from dataclasses import dataclass

from vitrine.adapters.aws.access import AwsAccess
from vitrine.local.process import Running


@dataclass(frozen=True)
class Emulated:
    """The emulator's process, and clients of it."""

    running: Running
    cloud: AwsAccess
