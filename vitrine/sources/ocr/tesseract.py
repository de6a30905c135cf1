"""One run of Tesseract, with limits of time and memory."""

import os
import subprocess
from pathlib import Path

from vitrine.errors import TextRefused

PROGRAM = "tesseract"
ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}
"""Environment of a run with one thread: where others work, Tesseract's threads spend most of their
time waiting for each other."""
_PASSED = ("PATH", "LANG", "TESSDATA_PREFIX")
_SHOWN = 200


def write_alto(
    program: str,
    image: Path | str,
    folder: Path,
    languages: str,
    *,
    most_seconds: float,
    most_mebibytes: int = 0,
    dots_per_inch: int = 0,
) -> Path:
    """Write the text of an image to a file in a folder, as ALTO; return the file.

    Without `most_mebibytes` memory has no limit; without `dots_per_inch` Tesseract estimates them.
    Raises TextRefused, whose sentence says what kept that from happening.
    """
    written = folder / "text"
    limit = ["prlimit", f"--as={most_mebibytes << 20}", "--"] if most_mebibytes else []
    dots = ["--dpi", str(dots_per_inch)] if dots_per_inch else []
    try:
        done = subprocess.run(
            [*limit, program, str(image), str(written), "-l", languages, *dots, "alto"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=most_seconds,
            check=False,
            env=_environment(),
        )
    except subprocess.TimeoutExpired:
        raise TextRefused("ocr-time", f"it took more than {most_seconds:g} seconds") from None
    result = written.with_suffix(".xml")
    if done.returncode or not result.exists():
        # What is stored of a page names no folder of this machine.
        errors = done.stderr.replace(f"{Path(image).parent}/", "").replace(f"{folder}/", "")
        said = " ".join(errors.split())[-_SHOWN:] or f"exit code {done.returncode}"
        within = f", with {most_mebibytes:,} MiB of memory" if most_mebibytes else ""
        raise TextRefused("ocr", f"Tesseract could not read it{within}: {said}")
    return result


def _environment() -> dict[str, str]:
    """Return what Tesseract needs of ours: no credentials, since it reads bytes from outside."""
    return {name: os.environ[name] for name in _PASSED if name in os.environ} | ONE_THREAD


def installed_version(program: str) -> str:
    """Return the version of the program, such as `tesseract 5.5.0`. Raises OSError."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0].strip()


def installed_languages(program: str) -> set[str]:
    """Return the languages that are installed. Raises OSError."""
    done = subprocess.run([program, "--list-langs"], capture_output=True, text=True, check=False)
    return {*done.stdout.splitlines()[1:]}
