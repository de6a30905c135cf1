"""The templates of `dev` as a file of environments describes it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.settings.environments_file import FILE_VARIABLE


def synthesize(folder: Path, file: Path) -> Path:
    """Return the assembly of `dev` as a file describes it."""
    context = json.loads((REPOSITORY / "cdk.json").read_text())["context"]
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=REPOSITORY,
        env=os.environ
        | {
            FILE_VARIABLE: str(file),
            "CDK_OUTDIR": str(folder),
            "CDK_VALIDATION": "false",
            "CDK_CONTEXT_JSON": json.dumps(context | {"environment": "dev"}),
        },
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return folder
