"""The script of the site's search page, which Node.js runs over the files of an index."""

import json
import subprocess
from pathlib import Path

from tests.unit.search.titles.search_bench import SearchBench

SCRIPT = Path(__file__).parents[4] / "site" / "search" / "index.js"
ASK = """
import {{ readFile }} from 'node:fs/promises';
import {{ Index }} from {script};
globalThis.fetch = async (address) => {{
  const body = await readFile({folder} + address, 'utf8').catch(() => null);
  const status = body === null ? 404 : 200;
  return {{ ok: body !== null, status, json: async () => JSON.parse(body) }};
}};
const answers = [];
for (const [text, filters] of {queries}) {{
  const index = new Index();
  const {{ found }} = await index.query(text, filters);
  answers.push((await index.cards(found)).map((card) => card[1]));
}}
console.log(JSON.stringify(answers));
"""
Query = tuple[str, list[tuple[str, str]]]


def search(bench: SearchBench, folder: Path, *queries: Query) -> list[list[str]]:
    """Return the identifiers that each query finds, in their order."""
    bench.update()
    for key, body in bench.files().items():
        path = folder / key
        if path.suffix == ".json":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
    given = (SCRIPT.as_uri(), f"{folder}", queries)
    script, root, requested = map(json.dumps, given)
    code = ASK.format(script=script, folder=root, queries=requested)
    command = ["node", "--input-type=module", "-e", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[list[str]] = json.loads(done.stdout)
    return found
