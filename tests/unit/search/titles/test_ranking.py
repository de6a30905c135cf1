"""The script of the search finds in the index what was published, the best first."""

import json
import subprocess
from pathlib import Path

from tests.unit.search.titles.search_bench import SearchBench, print_

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


def test_titles_count_more_than_texts_and_all_words_have_to_occur(tmp_path: Path) -> None:
    bench = SearchBench()
    bench.objects.put(print_("in-text", "Sea of ice and of fog", maker="Harbour Company"))
    bench.objects.put(print_("in-long", "Harbour in the fog of a morning", maker="Nobody"))
    bench.objects.put(print_("in-short", "The harbour", maker="Nobody"))
    bench.objects.put(print_("begins", "Harbourmaster", maker="Nobody"))
    words, both, filtered, listed, none = search(
        bench,
        tmp_path,
        ("harbour", []),
        ("fog harbours", []),
        ("harbour", [("maker", "nobody")]),
        ("", [("maker", "nobody")]),
        ("harbour", [("maker", "nobody-else")]),
    )
    assert [one for one in words if one != "begins"] == ["in-short", "in-long", "in-text"]
    assert "begins" in words
    assert both == []  # a form of a word that no text has
    assert [one for one in filtered if one != "begins"] == ["in-short", "in-long"]
    assert (sorted(listed), none) == (["begins", "in-long", "in-short"], [])


def test_of_equals_the_older_object_is_first(tmp_path: Path) -> None:
    bench = SearchBench()
    for name in ("third", "first", "second"):
        bench.objects.put(print_(name, f"Print, the {name}", maker="Somebody"))
        bench.update()
    (found,) = search(bench, tmp_path, ("print", []))
    assert found == ["third", "first", "second"]
