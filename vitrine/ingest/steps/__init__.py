"""The steps of the state machine: each takes the result of the one before."""
