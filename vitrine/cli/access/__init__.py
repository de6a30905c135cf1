"""`vitrine access`: who may see what; rules, rights, links to share, and keys of tickets."""
