"""Who asks for what, and when: one seeded generator for load tests and the simulator. Pure."""
