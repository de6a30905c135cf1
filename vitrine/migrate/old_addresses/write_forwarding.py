"""What answers at the host of an earlier server: files for CloudFront, and for nginx with njs."""

import json
from collections.abc import Sequence
from pathlib import Path
from string import Template

from vitrine.migrate.old_addresses.address_rules import AddressRule

MAX_FUNCTION_LENGTH = 10_240
"""Bytes that a CloudFront Function may have."""
FUNCTION, MODULE, SERVER = "cloudfront-function.js", "old_addresses.js", "nginx.conf"
_FORWARD = Path(__file__).with_name("forward.js")
_NJS = """
function serve(r) {
  const verdict = answer(r.variables.request_uri);
  r.status = verdict.statusCode;
  Object.keys(verdict.headers || {}).forEach((name) => {
    r.headersOut[name] = verdict.headers[name].value;
  });
  r.sendHeader();
  r.finish();
}

export default { serve };
"""
_SERVER = Template(
    """\
# Answers at the host of the earlier server. Debian: apt install nginx libnginx-mod-http-js; this
# file goes to /etc/nginx/conf.d/, $module next to it.
js_path /etc/nginx/conf.d;
js_import old_addresses from $module;

server {
    listen 80;
    server_name $names;

    location / {
        js_content old_addresses.serve;
    }
}
"""
)


def write_forwarding(rules: Sequence[AddressRule], base: str, folder: Path) -> list[Path]:
    """Write the files; `base` is scheme and host of the new service. Raises OSError.

    A function that is too large for CloudFront is not written.
    """
    table = [[rule.expression, list(rule.path)] for rule in rules]
    head = f"const RULES = {json.dumps(table, indent=1)};\nconst BASE = {json.dumps(base)};\n"
    function = head + _FORWARD.read_text(encoding="utf-8")
    hosts = sorted({rule.host for rule in rules if rule.host}) or ["_"]
    files = {
        MODULE: function + _NJS,
        SERVER: _SERVER.substitute(module=MODULE, names=" ".join(hosts)),
    }
    if len(function.encode()) <= MAX_FUNCTION_LENGTH:
        files[FUNCTION] = function
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]
