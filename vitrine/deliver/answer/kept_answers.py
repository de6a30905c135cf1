"""How large the answers are that nginx keeps in memory, and how much memory that is at most.

nginx keeps finished answers, which nobody verifies again, in a file system in memory (tmpfs), where
no disk can change their bytes. An nginx that cannot write closes the connection, and on Fargate
only its own container sees that file system. So its size has a bound that holds at any moment: of
each cache, nginx has a key for a fourth of its largest file, drops the answer that was used longest
ago when it has no key left, and is given none that is larger to keep. A dropped answer takes its
memory as long as a worker holds its file open, of which each worker has a limited number.
"""

from dataclasses import dataclass

OVERSHOOT = 4
"""Multiple of its size that a cache may take for some seconds: that of its largest file to what a
key stands for (`containers/nginx/start`)."""


@dataclass(frozen=True)
class KeptAnswers:
    """What one of nginx's caches keeps."""

    file_kibibytes: int
    """KiB of its largest file."""
    open_files: int
    """Files that a worker holds open for the next request (`open_file_cache` in
    `containers/nginx/nginx.conf.template`). All of them may have been dropped meanwhile."""

    @property
    def max_bytes(self) -> int:
        """Body of the largest answer, with some room for its head."""
        return (self.file_kibibytes - 4) << 10

    @property
    def open_kibibytes(self) -> int:
        """Most memory of the files that a worker holds open."""
        return self.file_kibibytes * self.open_files


BY_ADDRESS = KeptAnswers(file_kibibytes=128, open_files=512)
"""A tile has some 36 kB, `!400,400` some 40."""
BY_NAME = KeptAnswers(file_kibibytes=512, open_files=128)
"""The picture that an object's page shows first has up to 400 kB, and takes 0.1 s to encode."""
_FIXED_MEBIBYTES = 32 + 32 + 128
"""nginx's own reserve (`min_free`), and the least that each cache has keys for."""


def memory_mebibytes(*caches: int, workers: int) -> int:
    """Return the size of a file system that caches of these sizes never fill, in MiB; 0 for none.

    nginx has as many `workers`, which is the number of gateway processes (`containers/nginx`).
    It is a bound and takes no memory: within seconds nginx drops what is above a cache's size.
    """
    kept = sum(caches)
    opened = workers * (BY_ADDRESS.open_kibibytes + BY_NAME.open_kibibytes) // 1024
    return kept and kept * OVERSHOOT + opened + _FIXED_MEBIBYTES
