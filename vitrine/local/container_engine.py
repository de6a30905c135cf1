"""The container engine with which the CDK builds images on this machine."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

ENGINE_VARIABLE = "CDK_DOCKER"
"""Variable in which the CDK's command line looks for another program than docker."""
MACHINES = {"x86_64": ("x86_64", "amd64"), "arm64": ("aarch64", "arm64")}
EMULATORS = {"x86_64": "qemu-x86_64", "arm64": "qemu-aarch64"}
REGISTERED = Path("/proc/sys/fs/binfmt_misc")


def find_engine_problem(architecture: str) -> tuple[str, str]:
    """Return what was found, and what to do, "" where images can be built for `architecture`."""
    program = os.environ.get(ENGINE_VARIABLE) or "docker"
    if not shutil.which(program):
        other = shutil.which("podman")
        advice = f"set {ENGINE_VARIABLE}=podman" if other else "install Docker, or podman and"
        advice += "" if other else f" set {ENGINE_VARIABLE}=podman"
        return f"there is no {program}", advice
    answer = subprocess.run([program, "info"], capture_output=True, text=True)
    if answer.returncode:
        said = (answer.stderr.strip().splitlines() or ["no reason given"])[-1]
        return f"{program} does not run ({said})", f"start {program}"
    return program, _missing_emulator(program, architecture)


def _missing_emulator(program: str, architecture: str) -> str:
    """Return what to do before images for another machine than this one can be built here."""
    foreign = platform.machine().lower() not in MACHINES[architecture]
    if not foreign or platform.system() != "Linux":
        return ""
    if (REGISTERED / EMULATORS[architecture]).exists():
        return ""
    return (
        f"images for {architecture} are built on {platform.machine()} by emulation: run "
        f"`{program} run --privileged --rm tonistiigi/binfmt --install {architecture}`"
    )
