"""The text of the edge's functions as CloudFront gets it."""

import re
import subprocess
from functools import cache

from stacks.stage import REPOSITORY

FUNCTIONS = REPOSITORY / "stacks" / "functions"
ESBUILD = REPOSITORY / "node_modules" / ".bin" / "esbuild"


@cache
def function_code(files: tuple[str, ...]) -> str:
    """Return a function's files as one text with short names: CloudFront takes 10,240 bytes.

    esbuild leaves out comments and blanks and renames what a module does not export; it changes no
    statement, so that the text stays within what CloudFront's runtime knows. Raises
    subprocess.CalledProcessError if a file is no JavaScript, FileNotFoundError before `make setup`.
    """
    source = "".join((FUNCTIONS / name).read_text() for name in files)
    done = subprocess.run(
        [ESBUILD, "--minify-whitespace", "--minify-identifiers", "--format=esm"],
        input=f"{source}export {{ handler }};",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    # CloudFront finds the handler by its name, and knows no export.
    text, name, _ = re.split(r"export\{([\w$]+) as handler\};\s*$", done.stdout)
    return text.replace(f"function {name}(", "function handler(")
