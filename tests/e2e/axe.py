"""axe-core, which judges how accessible a page is."""

from vitrine.bootstrap.local_service import REPOSITORY

AXE = (REPOSITORY / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
