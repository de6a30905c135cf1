"""A swarm of addresses that asks for what costs most, next to visitors who look at images."""
