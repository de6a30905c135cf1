"""Reports of simulations: text, pages, charts."""
