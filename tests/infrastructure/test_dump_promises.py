"""Dumps are renewed by the clock, by a function that reads what is public and no more."""

import json

DUMPER = "WriteDumpsRole"


def test_a_schedule_starts_the_dumper_every_hour(templates):
    schedule = templates.one("AWS::Scheduler::Schedule", "DumpSchedule").properties
    assert schedule["State"] == "ENABLED"
    assert schedule["ScheduleExpression"] == "rate(1 hour)"
    assert "WriteDumps" in json.dumps(schedule["Target"]["Arn"])
    assert schedule["Target"]["RetryPolicy"]["MaximumRetryAttempts"] == 0
    started = [item.resources for item in templates.statements if "SchedulerRole" in item.role]
    assert len([one for one in started if "WriteDumps" in json.dumps(one)]) == 1


def test_the_dumper_writes_dumps_and_sitemaps_and_reads_the_site_alone(templates):
    allowed = templates.allowed(DUMPER)
    written = {
        resource["Fn::Join"][1][-1]
        for statement in allowed
        if "s3:PutObject" in statement.actions
        for resource in statement.resources
    }
    assert written == {"/data/*", "/sitemap.xml", "/sitemaps/*", "/inside/omissions/*"}
    assert set().union(*(statement.stored for statement in allowed)) == {"Site"}
    services = {action.partition(":")[0] for item in allowed for action in item.actions}
    assert services == {"logs", "s3", "xray"}


def test_somebody_hears_of_dumps_that_failed_or_did_not_begin(templates):
    said = {
        alarm.id[:-8]
        for alarm in templates.of("AWS::CloudWatch::Alarm")
        if alarm.properties["AlarmDescription"].endswith("dumps-are-old.md")
    }
    assert said == {"DumperErrorsAlarm", "DumperAbsentAlarm"}
