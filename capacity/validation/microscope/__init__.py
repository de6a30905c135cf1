"""The Virtual Microscope study of 1998 (CS-TR-3970, UMIACS-TR-98-17), simulated again."""
