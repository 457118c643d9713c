"""JUnit XML, which most CI systems show: a test case for each finding, and one for each file without any."""

from __future__ import annotations

import re
from pathlib import PurePath
from xml.etree import ElementTree as xml

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding
from ddplint.findings.results import Report, Silenced
from ddplint.report.context import Context
from ddplint.report.formats.full import explain
from ddplint.report.terminal import Style

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, context: Context) -> str:
    """One test suite. Findings that count are failures, other advice and silenced findings are skipped tests."""
    counting = [one for one in report.findings if context.strict or one.severity is not Severity.ADVICE]
    suite = xml.Element("testsuite", name="ddplint")
    for finding in report.findings:
        case = _case(suite, finding)
        text = _clean("\n".join(explain(finding, Style())))
        if finding in counting:
            failure = xml.SubElement(case, "failure", type=finding.severity.value, message=_clean(finding.message))
            failure.text = text
        else:
            xml.SubElement(case, "skipped", message=_clean(finding.message))
            xml.SubElement(case, "system-out").text = text
    for silenced in report.silenced:
        xml.SubElement(_case(suite, silenced.finding), "skipped", message=_clean(_why(silenced)))
    for problem in report.errors:
        case = _named(suite, problem.path or "ddplint", "could be checked", problem.line)
        xml.SubElement(case, "error", type="error", message=_clean(str(problem)))
    _clean_files(suite, report)
    _count(suite)
    suites = xml.Element("testsuites", dict(suite.attrib))
    suites.append(suite)
    xml.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + xml.tostring(suites, encoding="unicode") + "\n"


def _clean_files(suite: xml.Element, report: Report) -> None:
    told = {finding.place.file.path for finding in report.findings}
    for path in report.checked:
        if path not in told:
            _named(suite, path, "no findings")


def _case(suite: xml.Element, finding: Finding) -> xml.Element:
    path, place = finding.place.file.path, finding.place.range
    return _named(
        suite, path, f"{finding.code} {finding.name} ({place.start_line}:{place.start_col})", place.start_line
    )


def _named(suite: xml.Element, path: str, name: str, line: int = 0) -> xml.Element:
    module = ".".join(part for part in PurePath(path).with_suffix("").parts if part not in ("/", "."))
    case = xml.SubElement(suite, "testcase", classname=_clean(module), name=_clean(name), file=_clean(path), time="0")
    if line:
        case.set("line", str(line))
    return case


def _count(suite: xml.Element) -> None:
    suite.set("tests", str(len(suite)))
    for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("time", "0")


def _why(silenced: Silenced) -> str:
    return f"silenced by {silenced.by}: {silenced.reason}" if silenced.reason else f"silenced by {silenced.by}"


def _clean(text: str) -> str:
    """``text`` without the characters that XML does not have."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
