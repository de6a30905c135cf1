"""Load tests of our own image task, from which the simulator's profile is calibrated."""
