"""What theory says: mean times and throughputs of queues that have exact solutions.

Rates are per second, times in seconds. From Jain, *The Art of Computer Systems Performance
Analysis*, chapter 31; processor sharing from Kleinrock, *Queueing Systems* II, section 4.4.
"""

from math import factorial, fsum


def mm1_response(arrival_rate: float, service_rate: float) -> float:
    """Mean response time of M/M/1; under processor sharing it is the same."""
    return 1 / (service_rate - arrival_rate)


def mmc_response(arrival_rate: float, service_rate: float, servers: int) -> float:
    """Mean response time of M/M/c, by Erlang's C formula."""
    offered = arrival_rate / service_rate
    utilisation = offered / servers
    queueing = offered**servers / (factorial(servers) * (1 - utilisation))
    waits = queueing / (fsum(offered**n / factorial(n) for n in range(servers)) + queueing)
    return 1 / service_rate + waits / (servers * service_rate - arrival_rate)


def md1_response(arrival_rate: float, service_time: float) -> float:
    """Mean response time of M/D/1, by Pollaczek and Khinchine."""
    utilisation = arrival_rate * service_time
    return service_time * (1 + utilisation / (2 * (1 - utilisation)))


def shared_response(arrival_rate: float, service_time: float) -> float:
    """Mean response time of M/G/1 under processor sharing, whatever the distribution."""
    return service_time / (1 - arrival_rate * service_time)


def repairman_throughput(machines: int, repairers: int, work_time: float, repair: float) -> float:
    """Repairs per second of the machine repairman: exponential times, closed population."""
    weights = [1.0]
    for broken in range(machines):
        rate_in = (machines - broken) / work_time
        rate_out = min(broken + 1, repairers) / repair
        weights.append(weights[-1] * rate_in / rate_out)
    served = fsum(min(n, repairers) * weight for n, weight in enumerate(weights))
    return served / fsum(weights) / repair
