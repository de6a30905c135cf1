"""Idempotency keys: what comes twice happens once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tests.unit.api.api_bench import ApiBench, code, content, letter
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.api.idempotency import ANSWER_SECONDS, answer_once
from vitrine.api.problems import Problem

NEW = {"if_none_match": "*", "idempotency_key": "k1"}
REQUEST = ApiRequest(
    method="POST", path="/x", headers={"idempotency-key": "k1"}, body=b"{}", caller="me"
)


def test_a_repeated_request_gets_the_first_answer_and_changes_nothing(bench: ApiBench) -> None:
    first = bench.ask("PUT", "/objects/letter", letter(), **NEW)
    again = bench.ask("PUT", "/objects/letter", letter(), **NEW)
    assert (again.status, again.body) == (first.status, first.body) == (201, first.body)
    assert again.headers == {**first.headers, "idempotency-replayed": "true"}
    assert len(content(bench.ask("GET", "/histories/letter"))["entries"]) == 1
    # Without the key, the same request finds what it has made itself.
    late = bench.ask("PUT", "/objects/letter", letter(), if_none_match="*")
    assert code(late) == (412, "revision-changed")


def test_a_key_is_for_one_request(bench: ApiBench) -> None:
    bench.ask("PUT", "/objects/letter", letter(), **NEW)
    for path, body in (("/objects/letter", letter(title="Other")), ("/objects/b", letter("b"))):
        assert code(bench.ask("PUT", path, body, **NEW)) == (422, "key-reused")


def test_a_key_is_its_callers_own(bench: ApiBench) -> None:
    assert bench.ask("PUT", "/objects/letter", letter(), **NEW).status == 201
    other = bench.ask("PUT", "/objects/b", letter("b"), caller="somebody else", **NEW)
    assert other.status == 201


def test_a_post_has_a_key(bench: ApiBench) -> None:
    request = ApiRequest(
        method="POST",
        path="/publications",
        headers={"content-type": "application/json"},
        body=b'{"identifier":"letter"}',
        caller="me",
    )
    from vitrine.api.application import answer

    assert code(answer(bench.services, request)) == (400, "key-missing")
    for key in ("", "a b", "x" * 256, "é"):
        body = {"identifier": "letter"}
        refused = bench.ask("POST", "/publications", body, idempotency_key=key)
        assert code(refused) == (400, "header-invalid")


def test_a_repeated_request_is_answered_again_once_its_answer_is_no_longer_good() -> None:
    store, calls, now = MemoryObjectStore(), [], [1_000.0]

    def answer() -> ApiResponse:
        calls.append(1)
        return ApiResponse(status=201, good_seconds=1_800, body=b"%d" % len(calls))

    def ask() -> bytes:
        return answer_once(store, REQUEST, answer, lambda: now[0]).body

    assert ask() == b"1"
    now[0] += 1_799
    assert ask() == b"1"
    now[0] += 1
    assert ask() == b"2"
    assert ask() == b"2"


def test_two_at_the_same_moment_are_one() -> None:
    store, barrier, calls = MemoryObjectStore(), Barrier(2), []

    def answer() -> ApiResponse:
        calls.append(1)
        barrier.wait(10)
        return ApiResponse(status=201)

    def ask(_: int) -> str:
        try:
            return str(answer_once(store, REQUEST, answer).status)
        except Problem as problem:
            barrier.wait(10)
            return problem.code

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(ask, range(2))) == ["201", "key-in-use"]
    assert len(calls) == 1


def test_an_answer_that_never_came_is_made_again_later() -> None:
    store, moment = MemoryObjectStore(), 1_000.0

    def die() -> ApiResponse:
        raise SystemExit

    with pytest.raises(SystemExit):
        answer_once(store, REQUEST, die, clock=lambda: moment)
    # Nothing is left in its way.
    assert (
        answer_once(store, REQUEST, lambda: ApiResponse(status=200), lambda: moment).status == 200
    )


def test_one_that_was_killed_holds_its_key_for_a_minute() -> None:
    class Killed(MemoryObjectStore):
        puts = 0

        def put(self, *arguments, **options):  # type: ignore[no-untyped-def]
            self.puts += 1
            if self.puts == 2:
                raise SystemExit
            return super().put(*arguments, **options)

    store = Killed()
    with pytest.raises(SystemExit):
        answer_once(store, REQUEST, lambda: ApiResponse(status=200), lambda: 1_000.0)
    with pytest.raises(Problem, match="key-in-use"):
        answer_once(store, REQUEST, lambda: ApiResponse(status=200), lambda: 1_001.0)
    later = 1_000.0 + ANSWER_SECONDS
    assert answer_once(store, REQUEST, lambda: ApiResponse(status=200), lambda: later).status == 200


def test_a_fault_of_ours_is_not_kept() -> None:
    store = MemoryObjectStore()
    assert answer_once(store, REQUEST, lambda: ApiResponse(status=503)).status == 503
    assert answer_once(store, REQUEST, lambda: ApiResponse(status=200)).status == 200
    assert answer_once(store, REQUEST, lambda: ApiResponse(status=500)).status == 200
