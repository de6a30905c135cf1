"""Where objects lie: the one module that computes keys."""
