"""The steps of the state machines, one file each: each takes the result of the one before."""
