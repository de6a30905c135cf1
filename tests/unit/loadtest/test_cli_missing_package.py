"""A service without the tests' packages says what measuring needs."""

import subprocess
import sys

import pytest

LACKING = (
    "import sys; sys.modules[{package!r}] = None; sys.argv[1:] = ['--allow-dirty', *{words}]; "
    "from {house}.cli import main; main()"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("house", "package", "words"),
    [
        ("capacity", "scipy.special", ["plan"]),
        ("loadtest", "tifffile", ["study", "formats"]),
    ],
)
def test_a_missing_package_is_a_sentence_that_names_the_command(
    house: str, package: str, words: list[str]
) -> None:
    program = LACKING.format(house=house, package=package, words=words)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert f"The Python package {package.partition('.')[0]} is missing" in done.stderr
    assert "`make setup-tests`" in " ".join(done.stderr.split())
