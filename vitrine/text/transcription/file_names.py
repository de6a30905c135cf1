"""How the names of files with texts end."""

HTML = (".hocr", ".html", ".htm", ".xhtml")
XML = (".xml", ".alto")
SUFFIXES = (*XML, *HTML, ".txt", ".json")
