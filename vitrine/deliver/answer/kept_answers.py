"""How large the answers are that nginx keeps in memory, and how much memory that is at most.

nginx keeps finished answers, which nobody verifies again, in a file system in memory (tmpfs), where
no disk can change their bytes. An nginx that cannot write closes the connection, and on Fargate
only its own container sees that file system. So its size has a bound: of each cache, nginx has a
key for a fourth of its largest file, drops the answer that was used longest ago when it has no key
left, and is given none that is larger to keep. A dropped answer takes its memory as long as a
worker holds its file open, of which each worker has a limited number, or a slow client, which is
not in the sum.
"""

from dataclasses import dataclass

OVERSHOOT = 4
"""Multiple of its size that a cache may take for some seconds: that of its largest file to what a
key stands for (`containers/nginx/start`)."""
MIN_KEYS = 256
"""Keys of the smallest cache."""
RESERVE_KIBIBYTES = 32 << 10
"""nginx's own (`min_free`)."""


@dataclass(frozen=True)
class KeptAnswers:
    """What one of nginx's caches keeps."""

    file_kibibytes: int
    """KiB of its largest file."""

    @property
    def max_bytes(self) -> int:
        """Body of the largest answer, with some room for its head."""
        return (self.file_kibibytes - 4) << 10

    def memory_kibibytes(self, kibibytes: int) -> int:
        """Return the most that the files of a cache of this size take."""
        return kibibytes and max(OVERSHOOT * kibibytes, MIN_KEYS * self.file_kibibytes)


SMALL_ANSWERS = KeptAnswers(file_kibibytes=128)
"""A tile has some 36 kB, `!400,400` some 40."""
LARGE_ANSWERS = KeptAnswers(file_kibibytes=512)
"""The picture that an object's page shows first has up to 400 kB in the sample, and takes 0.1 s to
encode."""
OPEN_FILES = {SMALL_ANSWERS: 512, LARGE_ANSWERS: 32}
"""Files that a worker holds open for the next request, of answers by address and by name
(`open_file_cache` in `containers/nginx/nginx.conf.template`). All may have been dropped meanwhile.
"""


def memory_mebibytes(derivatives: int, tiles: int, *, workers: int) -> int:
    """Return the size of a file system that caches of these sizes never fill, in MiB; 0 for none.

    nginx has as many `workers`, which is the number of gateway processes (`containers/nginx`).
    It is a bound and takes no memory: within seconds nginx drops what is above a cache's size.
    """
    if not derivatives + tiles:
        return 0
    half = derivatives * 512  # of small derivatives, and of large ones
    kept = SMALL_ANSWERS.memory_kibibytes(tiles << 10)
    kept += SMALL_ANSWERS.memory_kibibytes(half) + LARGE_ANSWERS.memory_kibibytes(half)
    opened = workers * sum(kind.file_kibibytes * files for kind, files in OPEN_FILES.items())
    return -(-(kept + opened + RESERVE_KIBIBYTES) // 1024)
