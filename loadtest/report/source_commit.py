"""The commit of the code that measured, so that a figure can be traced to its source."""

import subprocess
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY

NO_REPOSITORY = "no repository"
SAVED = ":(exclude)results"
"""Saved runs do not make a tree dirty: one study may follow the other."""


@dataclass(frozen=True)
class SourceCommit:
    """Where the code comes from."""

    name: str
    """Abbreviated hash, with `-dirty` behind it if files differ from the commit; or
    `NO_REPOSITORY`, as for an installed wheel."""
    diff_sha256: str = ""
    """SHA-256 of the difference to the commit and of all new files; empty for a clean tree."""

    @property
    def clean(self) -> bool:
        """True if no file differs from the commit, or if there is no repository to compare with."""
        return not self.diff_sha256

    def as_json(self) -> dict[str, str]:
        """Return the entries for a saved run."""
        return {"commit": self.name} | ({} if self.clean else {"diff_sha256": self.diff_sha256})


def source_commit(repository: Path = REPOSITORY) -> SourceCommit:
    """Return the commit of that folder, which must be the top of a working tree."""
    top = _run_git(repository, "rev-parse", "--show-toplevel").decode().strip()
    if not top or Path(top).resolve() != repository.resolve():
        return SourceCommit(NO_REPOSITORY)
    name = _run_git(repository, "rev-parse", "--short", "HEAD").decode().strip()
    if not _run_git(repository, "status", "--porcelain", "--", ".", SAVED):
        return SourceCommit(name)
    digest = sha256(_run_git(repository, "diff", "--binary", "HEAD", "--", ".", SAVED))
    new = _run_git(repository, "ls-files", "-z", "--others", "--exclude-standard", "--", ".", SAVED)
    for path in sorted(filter(None, new.decode().split("\0"))):
        digest.update(path.encode() + b"\0" + (repository / path).read_bytes())
    return SourceCommit(f"{name}-dirty", digest.hexdigest())


def _run_git(repository: Path, *words: str) -> bytes:
    """Return what git prints; nothing if it fails or is not installed."""
    try:
        done = subprocess.run(["git", "-C", str(repository), *words], capture_output=True)
    except OSError:
        return b""
    return done.stdout if done.returncode == 0 else b""
