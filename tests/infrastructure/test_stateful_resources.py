"""A refactoring that would leave the data behind is noticed before it is deployed.

CloudFormation knows a resource by its logical id, which the CDK makes from the path of constructs:
to move, wrap or rename a construct creates a new bucket or table, empty, next to the old one.
"""

STATEFUL = {
    ("store", "MastersEA6F689C"),
    ("store", "AccessMastersB8BC78BC"),
    ("store", "Records091F6ECA"),
    ("store", "SiteE53D7754"),
    ("store", "AccessLogs8B620ECA"),
    ("identify", "Catalogue6D2BB205"),
    ("identify", "Identifiers5B7D9583"),
    ("identify", "Outcomes9EC31B62"),
    # It holds no data, but a new one has another address at cloudfront.net.
    ("edge", "Distribution830FAC52"),
}
"""Stack and logical id, the same in every environment."""
KINDS = {"AWS::S3::Bucket", "AWS::DynamoDB::GlobalTable", "AWS::CloudFront::Distribution"}
KEYS = {
    "Catalogue6D2BB205": ["subject", "record"],
    "Identifiers5B7D9583": ["identifier"],
    "Outcomes9EC31B62": ["master_key"],
}
"""Attributes of the primary key: another key is another table."""
ADVICE = (
    "would be replaced by an empty one, and the deployed one left behind. Keep its logical id: put "
    "the construct back where it was, or call override_logical_id() on it. Only if nothing is "
    "deployed anywhere, change STATEFUL."
)


def test_no_bucket_table_or_distribution_is_replaced(templates):
    found = {(item.stage, item.id) for item in templates.resources if item.kind in KINDS}
    gone = STATEFUL - found
    assert not gone, f"{', '.join(sorted(name for _, name in gone))} {ADVICE}"
    new = found - STATEFUL
    assert not new, f"add {sorted(new)} to STATEFUL, so that it is never replaced by mistake"


def test_no_table_gets_another_key(templates):
    for table in templates.of("AWS::DynamoDB::GlobalTable"):
        names = [item["AttributeName"] for item in table.properties["KeySchema"]]
        assert names == KEYS[table.id], f"{table.id} {ADVICE}"
