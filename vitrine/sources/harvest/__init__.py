"""Records of others, fetched into a folder that a mapping then reads."""
