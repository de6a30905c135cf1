"""The form that there is: small files, which the site's own script reads in a browser."""

import hashlib
import json
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from loadtest.studies.search_forms.form_figures import Answer
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import VitrineError
from vitrine.local.task import search_path
from vitrine.search.stored_lines import NewLines
from vitrine.search.titles.index import TitleIndex
from vitrine.search.titles.rows import Row
from vitrine.search.titles.stored_state import STATE, StateHead

_SCRIPT = Path(__file__).with_name("ask_files.js")


class TitleFiles:
    """An index of files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.digests: dict[str, bytes] = {}
        self.bytes = self.card_bytes = 0
        self.changed_bytes = self.changed_files = self.kept_bytes = 0
        """`changed` are files that a second build makes otherwise; `kept` is for the next update,
        compressed."""
        self.cpu_seconds = 0.0

    def build(self, rows: Iterable[Row], scratch: Path) -> None:
        """Write the files of these objects, once more only those that differ."""
        scratch.mkdir()
        is_first = not self.digests
        with TitleIndex(scratch) as index, NewLines(scratch) as lines:
            for row in rows:
                began = time.process_time()
                index.add(row)
                self.cpu_seconds += is_first * (time.process_time() - began)
                lines.add(row)
            began = time.process_time()
            for key, body in index.files():
                self._write(key, body, is_first)
            self.cpu_seconds += is_first * (time.process_time() - began)
            store = MemoryObjectStore()
            lines.store(store, STATE, StateHead())
            self.kept_bytes = store.head(STATE).size

    def _write(self, key: str, body: bytes, is_first: bool) -> None:
        digest = hashlib.sha256(body).digest()
        if is_first:
            self.digests[key] = digest
            self.bytes += len(body)
            self.card_bytes += len(body) if "/cards/" in key else 0
            (self.folder / key).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / key).write_bytes(body)
        elif self.digests.get(key) != digest:
            self.changed_files += 1
            self.changed_bytes += len(body)

    def ask(self, visits: Sequence[Sequence[str]]) -> list[list[Answer]]:
        """Return the answers of each visit, a list of queries of one page. Raises VitrineError."""
        done = subprocess.run(
            ["node", str(_SCRIPT), str(self.folder)],
            input=json.dumps(visits),
            capture_output=True,
            text=True,
            env={"PATH": search_path(), "NODE_NO_WARNINGS": "1"},
        )
        if done.returncode:
            raise VitrineError(f"Node answered no query: {done.stderr.strip()[-500:]}")
        return [
            [Answer(**one, browser_bytes=one["bytes"]) for one in answers]
            for answers in json.loads(done.stdout)
        ]
