"""Prints what the import of each Lambda costs: `python -m docs.build.cold_starts [rounds]`.

Each is imported by fresh processes of the Lambdas' Python from folders as a Lambda has them: the
shared asset, its layers and the runtime's botocore, which is compiled. In turn the asset and the
layers are compiled, as they are deployed, and sources alone.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from docs.build.assets_page import MODULES, NOT_IN_ASSETS, layers_of
from docs.build.saved_runs import ROOT
from layers.build import MAXIMUM_MEBIBYTES, layer_directory
from stacks.constructs.compiled_code import runtime_python

RUNTIME = ("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3")
"""Packages of Lambda's Python itself that our code imports."""
_IMPORT = """
import json, sys, time
sys.path[:0] = sys.argv[2:]
started = time.process_time()
__import__(sys.argv[1])
print(json.dumps([time.process_time() - started, len(sys.modules)]))
"""


def import_cost(python: str, module: str, path: Iterable[Path]) -> tuple[float, int]:
    """Return CPU seconds and loaded modules of a fresh process that imports `module`.

    Raises CalledProcessError if it cannot.
    """
    command = [python, "-ISB", "-c", _IMPORT, module, *map(str, path)]
    seconds, modules = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return float(seconds), int(modules)


def print_costs(python: str, rounds: int) -> None:
    """Print the median of the rounds for each handler, in CPU milliseconds."""
    with tempfile.TemporaryDirectory() as scratch:
        sources, compiled, runtime = (Path(scratch, name) for name in ("s", "c", "r"))
        _lay_out(sources, runtime)
        shutil.copytree(sources, compiled)
        compile_all = (python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
        subprocess.run([*compile_all, str(compiled), str(runtime)], check=True)
        print("handler                  modules  sources  compiled")
        for module in (name for name in MODULES if name.endswith(".handler")):
            layers = layers_of(module).split(", ")
            trees = [
                [tree / "function", *(tree / name / "python" for name in layers), runtime]
                for tree in (sources, compiled)
            ]
            runs = [[import_cost(python, module, path) for path in trees] for _ in range(rounds)]
            plain, quick = (_median_milliseconds(one) for one in zip(*runs, strict=True))
            print(f"{module.split('.')[1]:24} {runs[0][0][1]:7} {plain:8.0f} {quick:9.0f}")


def _lay_out(folder: Path, runtime: Path) -> None:
    without = shutil.ignore_patterns("__pycache__")
    for name in ("vitrine", "lambdas"):
        shutil.copytree(ROOT / name, folder / "function" / name, ignore=without)
    for name in NOT_IN_ASSETS:
        shutil.rmtree(folder / "function" / "vitrine" / name)
    for name in MAXIMUM_MEBIBYTES:
        shutil.copytree(layer_directory(name, "x86_64"), folder / name, ignore=without)
    runtime.mkdir()
    for name in RUNTIME:
        spec = find_spec(name)
        assert spec
        assert spec.origin
        origin = Path(spec.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, runtime / name, ignore=without)
        else:
            shutil.copy(origin, runtime)


def _median_milliseconds(runs: Sequence[tuple[float, int]]) -> float:
    return 1000 * statistics.median(seconds for seconds, _ in runs)


if __name__ == "__main__":
    if not (found := runtime_python()):
        sys.exit("This machine does not have the Lambdas' Python: .venv/bin/uv python install 3.13")
    print_costs(found, int(sys.argv[1]) if len(sys.argv) > 1 else 7)
