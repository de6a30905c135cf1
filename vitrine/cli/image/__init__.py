"""`vitrine image`: list, rename, withdraw, restrict and share images."""
