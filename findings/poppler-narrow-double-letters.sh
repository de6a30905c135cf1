#!/bin/sh
# pdftotext of poppler 22.12.0 (Debian 12) loses one of two equal letters that are next to each other
# and very narrow, as in a text layer whose words are squeezed into their boxes (Tz): "balloon" in a
# font of 12 points at 5 % of its width is read as "balon". pypdfium2 5.15.2 (PyPI) reads the same
# page whole, and so does pdftotext at 25 %.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq poppler-utils=22.12.0-2+deb12u3 libpoppler126=22.12.0-2+deb12u3
for package in *.deb; do dpkg-deb -x "$package" poppler; done
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pypdfium2==5.15.2
cat > read.py <<'PY'
import glob
import os
import subprocess

import pypdfium2


def page(percent):
    text = f"BT /F1 12 Tf {percent} Tz 20 50 Td (balloon) Tj ET"
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    file, starts = "%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        starts.append(len(file))
        file += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{start:010} 00000 n \n" for start in starts)
    end = f"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    return (file + "xref\n0 6\n0000000000 65535 f \n" + table + end).encode()


(libraries,) = glob.glob("poppler/usr/lib/*-linux-gnu")
found = {}
for percent in (25, 5):
    with open("page.pdf", "wb") as file:
        file.write(page(percent))
    read = subprocess.run(
        ["poppler/usr/bin/pdftotext", "page.pdf", "-"],
        env={**os.environ, "LD_LIBRARY_PATH": libraries},
        capture_output=True,
        check=True,
        text=True,
    )
    other = pypdfium2.PdfDocument("page.pdf")[0].get_textpage().get_text_range()
    found[percent] = read.stdout.split(), other.split()
print(found)
assert found == {25: (["balloon"], ["balloon"]), 5: (["balon"], ["balloon"])}, found
PY
venv/bin/python read.py
