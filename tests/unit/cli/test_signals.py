"""The command line ends cleanly on a signal."""

import signal
import subprocess
import sys

_PROGRAM = """
import time
import typer
from vitrine import cli

def verb():
    try:
        print("started", flush=True)
        time.sleep(60)
    finally:
        print("let go", flush=True)

app = typer.Typer(name="vitrine")
app.command()(verb)
cli.build_app = lambda words: app
cli.main()
"""


def test_sigterm_lets_go_of_what_was_started() -> None:
    program = [sys.executable, "-c", _PROGRAM]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "started\n"
        process.terminate()
        assert process.stdout.read() == "let go\n"
    assert process.returncode == 128 + signal.SIGTERM
