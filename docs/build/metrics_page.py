"""The page docs/reference/metrics.md."""

from docs.build.markdown import paragraph, table
from stacks.constructs.photo_faults import METRIC
from stacks.constructs.photo_faults import NAMESPACE as PHOTOS
from vitrine.deliver.metrics.catalogue import CATALOGUE, PREFIX
from vitrine.deliver.metrics.minute import METRICS, NAMESPACE, SLOW_TILE_SECONDS

_HEAD = """\
# Metrics of the gateway

Each gateway process counts what it does, in memory, without locks. There are three ways to read it;
`make docs` generates this page from `vitrine/deliver/metrics/`.

- **`vitrine status`**, on one machine: what nginx, the gateway and iipsrv each did so far.
- **`/metrics`** in Prometheus' text format: the sum over the gateway processes of one task, those
  that have ended included. nginx gives it to 127.0.0.1 alone, so on AWS only another container of
  the task can read it, such as a collector; for everyone else it is a 404. On one machine it is at
  the origin's address.

```sh
curl -s http://127.0.0.1:8080/metrics
```

- **A log line a minute** from each process, in CloudWatch's Embedded Metric Format: CloudWatch
  makes metrics of it, without an agent or a permission, and sums them over processes and tasks. On
  one machine the same line is in `gateway.log`.

## Prometheus

"""


def metrics_page() -> str:
    """Return the page as Markdown."""
    counted = [
        (f"`{PREFIX}{name}`", metric.type, metric.help) for name, metric in CATALOGUE.items()
    ]
    named = [(f"`{name}`", unit) for name, unit in METRICS.items()]
    return "\n".join(
        (
            _HEAD + table(("metric", "type", "meaning"), counted, words=3),
            "## CloudWatch",
            "",
            paragraph(
                f"In the namespace `{NAMESPACE}`, by environment. Each costs $0.30 a month "
                "([idle price](idle-price.md)), so these are only the ones that alarms and the "
                "dashboard use. `SlowTiles` are tiles that took the gateway longer than "
                f"{SLOW_TILE_SECONDS:g} seconds. Everything else in the line costs nothing and is "
                "there for Logs Insights: `added` has what was added to each counter in that "
                "minute, `percentile_95_ms` the time within which 95 of 100 answers of each kind "
                "were ready, `process` the number of the process."
            ),
            "",
            table(("metric", "unit"), named, words=2),
            "## The photo door",
            "",
            paragraph(
                "CloudWatch counts lines of the logs that are there anyway, in a namespace for "
                "each environment. A metric without a value in an hour costs nothing in that hour."
            ),
            "",
            table(
                ("namespace", "metric", "counts"),
                [
                    (
                        f"`{PHOTOS}/ENVIRONMENT`",
                        f"`{METRIC}`",
                        "Photographs that the door answered with 5xx. Where a Lambda is the door: "
                        "its lines with a `status` of 500 or more; what raises or takes too long "
                        "is in `Errors` of `AWS/Lambda`. Where image tasks are: nginx's lines "
                        "with a `gateway_status` of 500 or more, so that a door that does not "
                        "answer counts too.",
                    )
                ],
                words=3,
            ),
        )
    )
