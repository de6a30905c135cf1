"""What pages may do, and who may frame them."""

from dataclasses import replace

import pytest

from stacks.designs import ENVIRONMENTS
from tests.infrastructure.edge_parts import (
    OF_IMAGES,
    by_pattern,
    resource,
)
from tests.infrastructure.own_values import PUBLISHED

SPECIAL = {"/embed/*", "/viewers/*"}
"""Pages whose policy is not that of the others."""


def _site_headers(templates, *patterns):
    for pattern, behavior in by_pattern(templates).items():
        if pattern in patterns or not (
            patterns or pattern.startswith(OF_IMAGES) or pattern in SPECIAL
        ):
            policy = resource(templates, behavior["ResponseHeadersPolicyId"])
            yield policy["ResponseHeadersPolicyConfig"]


def _content_policy(config):
    return config["SecurityHeadersConfig"]["ContentSecurityPolicy"]["ContentSecurityPolicy"]


def test_anybody_may_frame_the_pages_that_are_made_for_it(templates):
    ordinary = next(_site_headers(templates))
    (framed,) = _site_headers(templates, "/embed/*")
    own, open_ = (_content_policy(one).partition("frame-ancestors ") for one in (ordinary, framed))
    assert own[0] == open_[0]
    assert open_[2] == "*"


def test_viewers_of_others_run_in_a_sandbox_and_no_page_of_ours_does(templates):
    (sandboxed,) = map(_content_policy, _site_headers(templates, "/viewers/*"))
    assert "; sandbox allow-scripts " in sandboxed
    assert "allow-same-origin" not in sandboxed
    assert sandboxed.endswith("; frame-ancestors 'self'")
    for config in (*_site_headers(templates), *_site_headers(templates, "/embed/*")):
        assert "unsafe-inline" not in _content_policy(config)


@pytest.mark.slow
def test_the_page_says_what_it_may_do_and_who_may_frame_it(templates, published):
    for built, ancestors in ((templates, "'self'"), (published, PUBLISHED["frame_ancestors"])):
        for config in _site_headers(built):
            security, policy = config["SecurityHeadersConfig"], _content_policy(config)
            assert policy.startswith("default-src 'none'; ")
            assert policy.endswith(f"; frame-ancestors {ancestors}")
            assert "require-trusted-types-for 'script'; trusted-types 'none'; " in policy
            assert security["ReferrerPolicy"]["ReferrerPolicy"] == "no-referrer"
            custom = {item["Header"] for item in config["CustomHeadersConfig"]["Items"]}
            assert custom >= {"Permissions-Policy", "Timing-Allow-Origin"}


def test_the_bucket_says_nothing_of_itself(templates):
    for config in _site_headers(templates):
        removed = [item["Header"] for item in config["RemoveHeadersConfig"]["Items"]]
        assert {"x-amz-id-2", "x-amz-request-id", "x-amz-version-id"} <= set(removed)
        assert len(removed) <= 10, "CloudFront removes no more"


@pytest.mark.parametrize(
    "ancestors", ["", "self", "https://a.example;", "'none' *", "https://a.example, b", "data:"]
)
def test_a_frame_ancestor_that_no_browser_knows_is_refused(ancestors):
    with pytest.raises(ValueError, match="frame_ancestors must be"):
        replace(ENVIRONMENTS["dev"], frame_ancestors=ancestors)
