"""Rights that nothing used are found, whatever the deployment is called."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recorded_calls.__main__ import main
from tests.recorded_calls.judge import REASONS, lines_of, read_calls

ROLE = "vitrine-dev-ingest-PublishImageRole70AAE768-3E91DD134D965"
BUCKET = "arn:aws:s3:::vitrine-dev-store-masters{}/*"
LAMBDA = '{"Principal": {"Service": "lambda.amazonaws.com"}}'


def granted(*grants: tuple[str, str], role: str = ROLE, trust: str = LAMBDA) -> dict[str, Any]:
    return {"role": role, "trust": trust, "grants": grants}


def called(action: str, resource: str, *allowed_by: tuple[str, str]) -> dict[str, Any]:
    return {"role": ROLE, "action": action, "resource": resource, "allowed_by": allowed_by}


def written(folder: Path, name: str, *documents: dict[str, Any]) -> None:
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    (folder / f"{name}.jsonl").write_text(lines)


def test_a_right_that_nothing_used_is_found(tmp_path: Path) -> None:
    read, write = ("s3:GetObject", BUCKET.format("")), ("s3:PutObject", BUCKET.format(""))
    written(tmp_path, "1", granted(read, write), called("s3:GetObject", "any", read))
    recorded = read_calls(lines_of(tmp_path))
    [(role, action, resource)] = recorded.unused()
    assert (role, action) == ("ingest/PublishImage", "s3:PutObject")
    assert resource == write[1].replace("-dev-", "-")
    assert main(tmp_path, unused=True) == 1


def test_a_right_is_used_if_another_deployment_used_it(tmp_path: Path) -> None:
    first, second = (
        ("s3:GetObject", BUCKET.format(f"-{suffix}"))
        for suffix in ("4099dfa5353de", "0a1b2c3d4e5f6")
    )
    written(tmp_path, "1", granted(first))
    written(tmp_path, "2", granted(second), called("s3:GetObject", "any", second))
    assert read_calls(lines_of(tmp_path)).unused() == []
    assert main(tmp_path, unused=True) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "arn:aws:s3:::vitrine-dev-store-sitee53d7754/a/*",
            "arn:aws:s3:::vitrine-prod-store-sitee53d7754/a/*",
        ),
        (
            "arn:aws:s3:::logs/CloudFront/E2EUDKXLNM1BLA/*",
            "arn:aws:s3:::logs/CloudFront/EGTMVQ1XDU0RO4/*",
        ),
        (
            "table/vitrine-dev-identify-Uses",
            "table/vitrine-prod-identify-vitrine-prod-identify-Uses",
        ),
    ],
)
def test_a_right_is_used_if_another_environment_used_it(
    tmp_path: Path, one: str, other: str
) -> None:
    right = "s3:GetObject", one
    written(
        tmp_path, "1", granted(right, ("s3:GetObject", other)), called("s3:GetObject", "any", right)
    )
    assert read_calls(lines_of(tmp_path)).unused() == []


def test_a_call_that_was_refused_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = ("s3:GetObject", BUCKET.format(""))
    refused = called("s3:DeleteObject", "arn:aws:s3:::masters/a")
    written(tmp_path, "1", granted(read), called("s3:GetObject", "any", read), refused)
    assert main(tmp_path, unused=True) == 1
    assert (
        "refused: ingest/PublishImage s3:DeleteObject arn:aws:s3:::masters/a"
        in capsys.readouterr().out
    )


def test_roles_that_run_none_of_our_code_are_left_out(tmp_path: Path) -> None:
    states = '{"Principal": {"Service": "states.amazonaws.com"}}'
    written(
        tmp_path,
        "1",
        granted(("lambda:InvokeFunction", "*"), trust=states),
        granted(("s3:GetObject", "*"), role="reads-17954"),
    )
    assert read_calls(lines_of(tmp_path)).grants == set()


def test_nothing_recorded_is_no_success(tmp_path: Path) -> None:
    assert main(tmp_path, unused=True) == 1


def test_a_reason_covers_a_right_that_no_test_can_use(tmp_path: Path) -> None:
    written(tmp_path, "1", granted(("logs:PutLogEvents", "any"), ("s3:ListBucket", "any")))
    recorded = read_calls(lines_of(tmp_path))
    assert recorded.grants
    assert recorded.unused() == []


def test_no_reason_covers_everything() -> None:
    assert all(reason.action or reason.role for reason in REASONS)
    assert all(reason.reason for reason in REASONS)
