"""Start of ministack with our patches, a file that the emulator's own Python runs.

ministack keeps its state in memory and writes it when it is stopped. Two things save it earlier,
so that a killed emulator loses only seconds: DynamoDB is written whenever it has changed, and
SIGUSR1 writes the state of every service (`deploy` sends it once the stacks are up).
"""

import json
import logging
import os
import signal
import sys
import threading
import time
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FrameType
from typing import Any

SAVE_SECONDS = 5.0


def main() -> None:
    """Patch ministack, then serve until SIGTERM."""
    _escape_log_lines()
    parallel_tasks = int(os.environ["VITRINE_EMULATOR_PARALLEL_TASKS"])
    without = frozenset(os.environ.get("VITRINE_EMULATOR_WITHOUT", "").split())
    _load_patches().apply(parallel_tasks, without)
    _prefer_packages(os.environ["VITRINE_EMULATOR_PACKAGES"])
    emulator: Any = import_module("ministack.app")
    signal.signal(signal.SIGUSR1, lambda *_: _save_everything(emulator))
    threading.Thread(target=_save_tables_forever, daemon=True).start()
    sys.argv = sys.argv[:1]
    emulator.main()


def _escape_log_lines() -> None:
    """Spell out control characters in the log: keys and messages come from outside."""
    format_line = logging.Formatter.format

    def format_escaped(formatter: logging.Formatter, record: logging.LogRecord) -> str:
        line = format_line(formatter, record)
        return "".join(
            sign if sign.isprintable() or sign in "\n\t" else ascii(sign)[1:-1] for sign in line
        )

    logging.Formatter.format = format_escaped  # type: ignore[method-assign,assignment]


def _load_patches() -> Any:
    """Load the package of patches from its folder: this Python has no `vitrine`."""
    folder = Path(__file__).with_name("emulator_patches")
    spec = spec_from_file_location(
        folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise RuntimeError(f"cannot load {folder}")
    package = module_from_spec(spec)
    sys.modules[folder.name] = package
    spec.loader.exec_module(package)
    return package


def _prefer_packages(folder: str) -> None:
    """Put `folder` in front of the layers on the path of every Lambda.

    Lambdas run under this Python here, and the layers are compiled for the Lambda runtime's.
    Raises RuntimeError for another version of ministack.
    """
    runtime: Any = import_module("ministack.core.lambda_runtime")
    complete = "    _ms_install_invoke_depth()\n    try:\n        mod = "
    if runtime._PYTHON_WORKER_SCRIPT.count(complete) != 1:
        raise RuntimeError("ministack's worker of Lambdas completes its path in another place")
    runtime._PYTHON_WORKER_SCRIPT = runtime._PYTHON_WORKER_SCRIPT.replace(
        complete, f"    sys.path.insert(0, {folder!r})\n{complete}"
    )


def _save_everything(emulator: Any) -> FrameType | None:
    def save() -> None:
        emulator.save_all(emulator._build_persistence_save_dict())
        Path(os.environ["STATE_DIR"], "saved").touch()

    threading.Thread(target=save).start()
    return None


def _save_tables_forever() -> None:
    persistence: Any = import_module("ministack.core.persistence")
    last, pause = "", SAVE_SECONDS
    while True:
        time.sleep(pause)
        started = time.monotonic()
        tables = sys.modules.get("ministack.services.dynamodb")
        if tables is not None:
            last = _save_if_changed(persistence, tables, last)
        # Never more than a twentieth of the time goes into saving.
        pause = max(SAVE_SECONDS, 20 * (time.monotonic() - started))


def _save_if_changed(persistence: Any, tables: Any, last: str) -> str:
    try:
        state = tables.get_state()
        text = json.dumps(state, default=persistence._json_default)
    except RuntimeError:  # it changed while it was read; the next round saves it
        return last
    digest = sha256(text.encode()).hexdigest()
    if last and digest != last:
        persistence.save_state("dynamodb", state)
    return digest


if __name__ == "__main__":
    main()
