"""The simulation engine: SimPy's event list with stations of few events and named random streams.

Users are SimPy processes; stations are callbacks. A first-come-first-served station schedules
one event per visit, since its departures are known on arrival (Lindley).
"""
