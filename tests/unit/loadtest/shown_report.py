"""The page and the text of a report, as a command shows them."""

from typing import Any

from loadtest.report.document import format_text, html_page
from loadtest.report.saved_run import Report


def page_of(report: Report, figures: Any) -> str:
    return html_page(report.title, report.parts(figures))


def text_of(report: Report, figures: Any) -> str:
    return format_text(report.parts(figures))
