"""From the pixels of a master to an access master, and the proof that they are the same picture."""
