"""How large the answers are that nginx keeps in memory, and how much memory that is at most.

nginx keeps finished answers, which nobody verifies again, in a file system in memory (tmpfs), where
no disk can change their bytes. An nginx that cannot write closes the connection, and on Fargate
only its own container sees that file system. So its size has a bound that holds at any moment:
nginx has a key for each 32 KiB of what it may keep, drops the answer that was used longest ago when
it has no key left, and is given no answer above 124 KiB to keep. A dropped answer takes its memory
as long as a worker holds its file open, of which each worker has a limited number.
"""

KEY_KIBIBYTES = 32
"""KiB of a cache's size for each of nginx's keys (`containers/nginx/start`)."""
FILE_KIBIBYTES = 128
"""KiB of the largest file that nginx is to keep."""
MAX_KEPT_BYTES = (FILE_KIBIBYTES - 4) << 10
"""Body of the largest answer that nginx is to keep. A tile has some 36 kB, `!400,400` some 40."""
OPEN_FILES = 512
"""Files that a worker of nginx holds open for the next request (`open_file_cache` in
`containers/nginx/nginx.conf.template`). All of them may have been dropped meanwhile."""
_FIXED_MEBIBYTES = 96
"""nginx's own reserve (`min_free`), and the least that a cache has keys for, twice."""


def memory_mebibytes(*caches: int, workers: int) -> int:
    """Return the size of a file system that caches of these sizes never fill, in MiB; 0 for none.

    nginx has as many `workers`, which is the number of gateway processes (`containers/nginx`).
    It is a bound and takes no memory: within seconds nginx drops what is above a cache's size.
    """
    kept = sum(caches)
    opened = workers * OPEN_FILES * FILE_KIBIBYTES // 1024
    return kept and kept * FILE_KIBIBYTES // KEY_KIBIBYTES + opened + _FIXED_MEBIBYTES
