"""Saved queries of CloudWatch Logs Insights: what one asks of the logs when something is wrong."""

from collections.abc import Mapping, Sequence

from aws_cdk import aws_logs as logs
from constructs import Construct, IConstruct

FRONT_DOOR, GATEWAY, STEPS = "nginx", "gateway", "steps"

QUERIES: Mapping[str, tuple[str, str]] = {
    "errors by address and status": (
        FRONT_DOOR,
        "filter status >= 500 | stats count() as answers by status, uri | sort answers desc "
        "| limit 50",
    ),
    "slowest answers": (
        FRONT_DOOR,
        "fields @timestamp, seconds, gateway_seconds, status, uri, trace | sort seconds desc "
        "| limit 50",
    ),
    "one request by its trace": (
        FRONT_DOOR,
        'filter trace = "1-67891233-abcdef012345678912345678" or edge_request = "" '
        "| fields @timestamp, status, seconds, uri, trace, edge_request | limit 20",
    ),
    "hits of the derivative cache": (
        FRONT_DOOR,
        "filter cache in ['HIT', 'MISS'] | stats count() as answers by cache, bin(5m)",
    ),
    "who asks most": (
        FRONT_DOOR,
        "stats count() as answers, sum(bytes) as bytes by viewer, user_agent "
        "| sort answers desc | limit 30",
    ),
    "minutes of the gateway": (
        GATEWAY,
        "filter ispresent(Tiles) | stats sum(Answers) as answers, sum(Tiles) as tiles, "
        "sum(SlowTiles) as slow, sum(BlockCacheHits) as hits, sum(BlockCacheMisses) as misses, "
        "sum(Renders) as renders, sum(RendersRefused) as refused, max(percentile_95_ms.tile) "
        "as tile_p95_ms, max(percentile_95_ms.render) as render_p95_ms by bin(5m)",
    ),
    "CPU of each program": (
        GATEWAY,
        'filter ispresent(Tiles) | parse @message /program=.."nginx.."}": (?<nginx>[0-9.]+)/ '
        '| parse @message /program=.."iipsrv.."}": (?<iipsrv>[0-9.]+)/ '
        '| parse @message /program=.."gateway.."}": (?<gateway>[0-9.]+)/ '
        "| stats sum(nginx), sum(gateway), sum(iipsrv) by bin(5m)",
    ),
    "what went wrong in the gateway": (
        GATEWAY,
        "filter level in ['WARNING', 'ERROR'] | stats count() as lines by logger, message "
        "| sort lines desc | limit 50",
    ),
    "ingest steps that failed": (
        STEPS,
        "filter level in ['WARNING', 'ERROR'] | fields @timestamp, service, message, master_key "
        "| sort @timestamp desc | limit 50",
    ),
}
"""Name → the logs that it reads, and the query."""


class LogQueries(Construct):
    """The queries, in a folder of the environment's name."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: str,
        groups: Mapping[str, Sequence[logs.ILogGroup]],
    ) -> None:
        super().__init__(scope, id_)
        for number, (name, (source, query)) in enumerate(QUERIES.items()):
            logs.CfnQueryDefinition(
                self,
                f"Query{number}",
                name=f"vitrine-{environment}/{name}",
                query_string=query.replace(" | ", "\n| "),
                log_group_names=[group.log_group_name for group in groups[source]],
            )


def kept_logs(scope: IConstruct, *names: str) -> list[logs.ILogGroup]:
    """Return the log groups below `scope` whose ids begin with one of `names`; all without."""
    return [
        item
        for item in scope.node.find_all()
        if isinstance(item, logs.LogGroup) and (not names or item.node.id.startswith(names))
    ]
