#!/bin/sh
# counter-robots 2025.11 (PyPI) matches user agents against COUNTER's lists with regard to case. The
# lists are meant to be matched without (atmire/COUNTER-Robots, README, and its issue 12): `bot` is
# there to cover every name that ends so. GPTBot and YandexBot, which spell it `Bot`, count as people.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check counter-robots==2025.11
"$folder/venv/bin/python" - <<'PY'
import re
from importlib.resources import files

import counter_robots

folder = files(counter_robots) / "data"
texts = [(folder / name).read_text(encoding="utf-8") for name in ("robot.txt", "machine.txt")]
without_case = re.compile("|".join("".join(texts).splitlines()), re.IGNORECASE)
print("version", counter_robots.__version__)
for agent, known in {
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": True,
    "Mozilla/5.0 (compatible; GPTBot/1.2)": False,
    "Mozilla/5.0 (compatible; YandexBot/3.0)": False,
}.items():
    said = counter_robots.is_robot_or_machine(agent)
    print(f"{said!s:5} {bool(without_case.search(agent))!s:5} {agent}")
    assert said is known, "this has changed: what the package says"
    assert without_case.search(agent), "this has changed: what the lists say without regard to case"
PY
