"""Searches inside objects: a Lambda that reads, behind an edge that keeps each query once."""

import json

import pytest

from tests.unit.edge.edge_function import event, run_function
from vitrine.edge.functions import CONTENT_SEARCH_REQUEST

ROLE = "SearchContentRole"


def _behavior(templates):
    config = templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [found] = [one for one in config["CacheBehaviors"] if one["PathPattern"] == "/inside/*"]
    return found


def test_the_function_reads_what_is_published_and_its_index_and_changes_nothing(templates):
    allowed = {
        (action, json.dumps(statement.resources))
        for statement in templates.allowed(ROLE)
        for action in statement.actions
    }
    actions = {action for action, _ in allowed if not action.startswith(("logs:", "xray:"))}
    assert actions == {"s3:GetObject", "s3:ListBucket"}
    keys = json.dumps([text for action, text in allowed if action == "s3:GetObject"])
    assert keys.count("/presentation/*") == keys.count("/inside/*") == 1


def test_only_the_distribution_may_invoke_it_so_nobody_comes_past_the_edge(templates):
    url = templates.one("AWS::Lambda::Url", "SearchContent").properties
    assert url["AuthType"] == "AWS_IAM"
    assert url.get("Cors") is None
    principals = {
        item.properties["Principal"]
        for item in templates.of("AWS::Lambda::Permission")
        if "SearchContent" in json.dumps(item.properties["FunctionName"])
    }
    assert principals == {"cloudfront.amazonaws.com"}


def test_the_edge_keeps_answers_by_the_query_that_its_function_writes(templates):
    behavior = _behavior(templates)
    assert set(behavior["AllowedMethods"]) == {"GET", "HEAD", "OPTIONS"}
    [function] = behavior["FunctionAssociations"]
    assert function["EventType"] == "viewer-request"
    assert "ContentSearchRequest" in json.dumps(function["FunctionARN"])
    policy = templates.one("AWS::CloudFront::CachePolicy", "ContentSearchCache").properties
    key = policy["CachePolicyConfig"]["ParametersInCacheKeyAndForwardedToOrigin"]
    assert key["QueryStringsConfig"] == {
        "QueryStringBehavior": "whitelist",
        "QueryStrings": ["q", "motivation", "page", "min", "start", "ignored"],
    }
    assert key["HeadersConfig"] == {"HeaderBehavior": "none"}
    assert key["CookiesConfig"] == {"CookieBehavior": "none"}


@pytest.mark.parametrize(
    ("alarm", "metric", "statistic"),
    [
        # Whatever visitors see as an error, also what the function says itself of damage.
        ("SearchesFail", "Url5xxCount", {"Statistic": "Sum"}),
        ("SearchesSlow", "Duration", {"ExtendedStatistic": "p99"}),
    ],
)
def test_somebody_hears_of_searches_that_fail_or_take_long(templates, alarm, metric, statistic):
    found = templates.one("AWS::CloudWatch::Alarm", alarm).properties
    assert (found["Namespace"], found["MetricName"]) == ("AWS/Lambda", metric)
    assert statistic.items() <= found.items()
    [dimension] = found["Dimensions"]
    assert dimension["Name"] == "FunctionName"
    assert "SearchContent" in json.dumps(dimension["Value"])
    assert "docs/runbooks/searches-fail.md" in found["AlarmDescription"]
    assert found["TreatMissingData"] == "notBreaching"


def _passed(path, method="GET", **headers):
    sent = event(method, path)
    sent["request"]["headers"] |= {name: {"value": value} for name, value in headers.items()}
    [answer] = run_function([sent], CONTENT_SEARCH_REQUEST)
    return answer


def _key(path):
    passed = _passed(path)
    assert "statusCode" not in passed, passed
    query = {name: field["value"] for name, field in passed["querystring"].items()}
    return passed["uri"], query


@pytest.mark.parametrize(
    "path",
    [
        "/inside/3/a%2Fb/search-2?q=Two%20Birds&page=1",
        "/inside/3/a%2fb/search-2?q=+two++birds+&unknown=1",
        "/inside/3/%61%2Fb/search-2?page=&q=TWO+birds",
    ],
)
def test_every_spelling_of_a_search_has_one_key(path):
    assert _key(path) == ("/inside/3/a%2Fb/search-2", {"q": "two%20birds"})


def test_pages_least_counts_and_what_is_not_heeded_are_part_of_the_key():
    query = "q=%22a%20b*%22&page=2&motivation=painting&date=&user=x&min=3"
    assert _key(f"/inside/2/book/search-1?{query}")[1] == {
        "q": "%22a%20b%2A%22",
        "page": "2",
        "motivation": "painting",
        "ignored": "date,user",
    }
    assert _key("/inside/2/book/terms-1?q=a&page=2&min=3")[1] == {"q": "a", "min": "3"}
    assert _key("/inside/2/book/terms-1") == ("/inside/2/book/terms-1", {"q": ""})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("motivation", "kept"),
    [
        ("commenting", {"motivation": "commenting"}),
        ("tagging+oa:Commenting%20tagging+", {"motivation": "commenting%20tagging"}),
        ("sc:painting", {"motivation": "painting"}),
        ("a%26b%3Dc", {"motivation": "a%26b%3Dc"}),
        ("", {}),
        ("+%20", {}),
    ],
)
def test_motivations_have_one_spelling(motivation, kept):
    for path in ("/inside/3/book/search-2", "/inside/3/book/terms-2", "/inside/3/search-1"):
        assert _key(f"{path}?q=a&motivation={motivation}")[1] == {"q": "a"} | kept


def test_a_search_in_all_objects_has_one_key_and_goes_on_from_a_place_in_the_ranking():
    across = "/inside/3/search-2"
    assert _key(f"{across}?q=Two+Birds&start=0&page=4") == (across, {"q": "two%20birds"})
    assert _key(f"{across}?q=a&start=10&user=x")[1] == {"q": "a", "start": "10", "ignored": "user"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/inside/3/book/search-2?q=" + "x" * 201, 400),
        ("/inside/3/book/search-2?q=%FF", 400),
        ("/inside/3/book/search-2?q=a&page=0", 400),
        ("/inside/3/book/search-2?q=a&page=1e9", 400),
        ("/inside/3/%FF/search-2?q=a", 400),
        ("/inside/3/book/search-3?q=a", 404),
        ("/inside/4/book/search-2?q=a", 404),
        ("/inside/3//search-2?q=a", 404),
        ("/inside/3/terms-2?q=a", 404),
        ("/inside/4/search-2?q=a", 404),
        ("/inside/3/search-2?q=a&start=x", 400),
        ("/inside/3/a/b/search-2?q=a", 404),
        ("/inside/3/" + "x" * 2048 + "/search-2", 414),
    ],
)
def test_what_cannot_be_answered_is_refused_at_the_edge(path, status):
    answer = _passed(path)
    assert answer["statusCode"] == status
    headers = {name: field["value"] for name, field in answer["headers"].items()}
    assert headers["content-type"] == "application/problem+json"
    assert headers["cache-control"] == "no-store"
    assert json.loads(answer["body"]["data"])["status"] == status


def test_other_methods_are_refused_and_preflights_answered_at_the_edge():
    assert _passed("/inside/3/book/search-2?q=a", "POST")["statusCode"] == 405
    assert _passed("/inside/3/book/search-2?q=a", "OPTIONS")["statusCode"] == 204


def test_nothing_else_of_a_viewer_goes_on():
    passed = _passed(
        "/inside/3/book/search-2?q=a",
        authorization="Bearer token",
        cookie="a=b",
        **{"x-request-uri": "/inside/3/other/search-2", "x-public-base": "https://other"},
    )
    sent = {name: field["value"] for name, field in passed["headers"].items()}
    assert sent == {
        "host": "images.example.org",
        "x-public-base": "https://images.example.org",
        "x-request-uri": "/inside/3/book/search-2",
    }
