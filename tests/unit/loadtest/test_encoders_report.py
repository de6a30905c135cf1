"""The chart of an encoder run is drawn like all others: colours of the page, every size a bar."""

from loadtest.studies.encoders.encoders_report import draw_speed


def test_every_encoder_and_size_is_in_the_chart_in_the_colours_of_the_page() -> None:
    medians = [
        {"encoder": encoder, "megapixels": size, "megapixels_per_cpu_second": speed}
        for encoder, size, speed in (("ours", 20, 61.0), ("ours", 100, 59.5), ("vips", 20, 31.25))
    ]
    svg = draw_speed({"medians": medians})
    for text in ("ours", "vips", "20 megapixels", "100 megapixels", "61 MP/s", "31.2 MP/s"):
        assert f">{text}</text>" in svg, text
    assert "--series-1" in svg
