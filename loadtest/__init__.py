"""Load tests: ask any image server, and weigh what it answers."""
