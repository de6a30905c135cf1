"""Access to restricted images: signing in, terms, tokens and probes (IIIF Authorization)."""
