"""Restricted images at the edge: who has the keys, and who keeps the answers."""

RESTRICTED = "/restricted/"


def _behaviors(templates):
    distribution = templates.one("AWS::CloudFront::Distribution")
    config = distribution.properties["DistributionConfig"]
    named = {item["PathPattern"]: item for item in config["CacheBehaviors"]}
    return {**named, "*": config["DefaultCacheBehavior"]}


def test_the_function_before_restricted_images_and_no_other_has_the_keys_of_tickets(templates):
    store = templates.one("AWS::CloudFront::KeyValueStore")
    assert "ImportSource" not in store.properties, "no key is in a template"
    for function in templates.of("AWS::CloudFront::Function"):
        stores = function.properties["FunctionConfig"].get("KeyValueStoreAssociations", [])
        arns = [item["KeyValueStoreARN"]["Fn::GetAtt"][0] for item in stores]
        assert arns == [store.id] * ("RestrictedRequest" in function.id)


def test_no_viewer_keeps_a_restricted_image_without_asking_again(templates):
    policies = {item.id: item for item in templates.of("AWS::CloudFront::ResponseHeadersPolicy")}
    for pattern, behavior in _behaviors(templates).items():
        policy = policies[behavior["ResponseHeadersPolicyId"]["Ref"]].properties
        items = policy["ResponseHeadersPolicyConfig"]["CustomHeadersConfig"]["Items"]
        lives = [item for item in items if item["Header"] == "Cache-Control"]
        kept = {"Header": "Cache-Control", "Value": "private, no-cache", "Override": True}
        assert lives == [kept] * pattern.startswith(RESTRICTED)


def test_no_restricted_address_is_passed_on_as_a_referer(templates):
    policies = {item.id: item for item in templates.of("AWS::CloudFront::ResponseHeadersPolicy")}
    for pattern, behavior in _behaviors(templates).items():
        policy = policies[behavior["ResponseHeadersPolicyId"]["Ref"]].properties
        security = policy["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]
        if pattern.startswith(RESTRICTED):
            assert security["ReferrerPolicy"] == {"ReferrerPolicy": "no-referrer", "Override": True}


def test_the_gateway_reads_the_keys_of_tickets_and_nothing_else_of_the_records(templates):
    task = templates.one("AWS::IAM::Policy", "ImageTaskTaskRole")
    statements = task.properties["PolicyDocument"]["Statement"]
    of_records = [item for item in statements if "Records" in str(item["Resource"])]
    # Without ListBucket, keys that nobody has made yet would be 403 instead of 404.
    assert {item["Action"] for item in of_records} == {"s3:GetObject", "s3:ListBucket"}
    for item in of_records:
        if item["Action"] == "s3:GetObject":
            assert "access/keys.json" in str(item["Resource"])
