"""Every request at the edge is logged, for a time, where only the environment reads it."""

import json


def _delivery(templates):
    return {
        kind: templates.one(f"AWS::Logs::{kind}").properties
        for kind in ("DeliverySource", "DeliveryDestination", "Delivery")
    }


def test_the_distribution_logs_to_the_bucket_of_access_logs(templates):
    found = _delivery(templates)
    assert found["DeliverySource"]["LogType"] == "ACCESS_LOGS"
    assert "Distribution" in json.dumps(found["DeliverySource"]["ResourceArn"])
    assert "AccessLogs" in json.dumps(found["DeliveryDestination"]["DestinationResourceArn"])
    assert found["DeliveryDestination"]["OutputFormat"] == "json"
    assert found["Delivery"]["DeliverySourceName"] == found["DeliverySource"]["Name"]
    assert found["Delivery"]["S3SuffixPath"].startswith("{DistributionId}/{yyyy}/{MM}/{dd}")


def test_the_log_says_who_asked_for_what_and_has_neither_cookies_nor_queries(templates):
    fields = _delivery(templates)["Delivery"]["RecordFields"]
    assert {"date", "time", "c-ip", "cs-method", "cs-uri-stem", "sc-status"} <= {*fields}
    assert "c-country" in fields, "visits are counted by country"
    assert not {"cs(Cookie)", "cs-uri-query"} & {*fields}
    assert len(fields) == len({*fields})


def test_the_delivery_is_in_us_east_1(templates):
    for kind in ("DeliverySource", "DeliveryDestination", "Delivery"):
        stage = templates.one(f"AWS::Logs::{kind}").stage
        (stack,) = [
            item for item in templates.assembly.stacks if item.stack_name.endswith(f"-{stage}")
        ]
        assert stack.environment.region == "us-east-1"


def test_nobody_but_cloudwatch_logs_of_this_account_delivers(templates):
    account = templates.environment.account
    bucket = templates.one("AWS::S3::Bucket", "AccessLogs")
    statements = [
        statement
        for name, found in templates.bucket_policies()
        if name == bucket.id
        for statement in found
        if statement["Principal"] == {"Service": "delivery.logs.amazonaws.com"}
    ]
    # Of the edge's log, and of the network's.
    assert len(statements) == 3
    for statement in statements:
        assert statement["Condition"]["StringEquals"]["aws:SourceAccount"] == account
        assert f":{account}:" in json.dumps(statement["Condition"]["ArnLike"]["aws:SourceArn"])
    (statement,) = (item for item in statements if "delivery-source" in json.dumps(item))
    assert statement["Action"] == "s3:PutObject"
    assert f"/AWSLogs/{account}/*" in json.dumps(statement["Resource"])
    assert f":logs:*:{account}:delivery-source:*" in json.dumps(
        statement["Condition"]["ArnLike"]["aws:SourceArn"]
    )


def test_viewers_addresses_are_forgotten(templates):
    bucket = templates.one("AWS::S3::Bucket", "AccessLogs").properties
    days = [
        rule["ExpirationInDays"]
        for rule in bucket["LifecycleConfiguration"]["Rules"]
        if rule["Status"] == "Enabled" and "ExpirationInDays" in rule
    ]
    assert days == [templates.environment.log_days]
