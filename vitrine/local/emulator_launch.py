"""Starts ministack with our patches; run by the emulator's own Python, as a file.

ministack keeps its state in memory and writes it when it is stopped. Two things save earlier,
so that a killed emulator loses seconds and not everything: DynamoDB is written whenever it
changed, and SIGUSR1 writes every service's state (`deploy` asks for it once stacks are up).
"""

import json
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
    """Patch, then serve until SIGTERM."""
    parallel_tasks = int(os.environ["VITRINE_EMULATOR_PARALLEL_TASKS"])
    without = frozenset(os.environ.get("VITRINE_EMULATOR_WITHOUT", "").split())
    _beside("emulator_patches").apply(parallel_tasks, without)
    for name, patch in _beside("emulator_tasks").patches(parallel_tasks).items():
        if name not in without:
            patch()
    emulator: Any = import_module("ministack.app")
    signal.signal(signal.SIGUSR1, lambda *_: _save_everything(emulator))
    threading.Thread(target=_save_tables_for_ever, daemon=True).start()
    sys.argv = sys.argv[:1]
    emulator.main()


def _beside(name: str) -> Any:
    path = Path(__file__).with_name(f"{name}.py")
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"cannot load {path}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _save_everything(emulator: Any) -> FrameType | None:
    def save() -> None:
        emulator.save_all(emulator._build_persistence_save_dict())
        Path(os.environ["STATE_DIR"], "saved").touch()

    threading.Thread(target=save).start()
    return None


def _save_tables_for_ever() -> None:
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
    except RuntimeError:  # changed while it was read: the next round gets it
        return last
    digest = sha256(text.encode()).hexdigest()
    if last and digest != last:
        persistence.save_state("dynamodb", state)
    return digest


if __name__ == "__main__":
    main()
