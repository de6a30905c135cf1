"""The gateway behind nginx: its processes, their sockets and their connections."""
