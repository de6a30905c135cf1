"""The list of the first page is written from what an event announced, not from what was before."""


def test_the_list_is_written_after_the_last_write_of_what_was_announced(templates):
    [queue] = [
        queue
        for queue in templates.of("AWS::SQS::Queue")
        if queue.id.startswith("PublishedQueue") and "DeadLetters" not in queue.id
    ]
    # A publisher announces an object right before it writes it.
    assert queue.properties["DelaySeconds"] >= 2
