import pytest

from rigs.free_port import free_ports


def test_two_workers_of_the_tests_never_find_the_same_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "2")
    found = []
    for worker in ("gw0", "gw1"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
        found.append(set(free_ports(300)))
    assert [len(ports) for ports in found] == [300, 300]
    assert not found[0] & found[1]
    assert max(found[0] | found[1]) < 32_768
