"""The page for people: complete in itself, safe, and usable without seeing the pictures."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from ddplint.report import render
from ddplint.report.context import Context
from ddplint.report.lanes import described, picture
from ddplint.results import Problem, Report
from ddplint.rule import Finding
from tests.stub import diagnostics, place
from tests.test_formats import everything, fixable

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Every element with its attributes, and the text; fails where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page(report: Report) -> Page:
    return Page(render("html", report, Context()))


def evil() -> Finding:
    said = "</script><img src=x onerror=alert(1)> {{RULES}} & \x1b"
    return dataclasses.replace(diagnostics(), message=said, no_fix=said, code="DDP102", name='"><b>')


def test_every_finding_has_its_code_a_table_and_a_picture() -> None:
    found = page(everything())
    assert [(one["data-rule"], one["data-file"]) for one in found.all("article")] == [
        ("DDP102", "train.py"),
        ("DDP101", "a b.py"),
    ]
    text = " ".join("".join(found.text).split())
    assert "stats = model.all_kl(batch)" in text
    assert "ranks 1, 2, 3gradient all-reducetrain.py:20they wait here for rank 0" in text
    assert len(found.all("svg")) == 1
    assert "bad.py:3:1: error: syntax error" in text


def test_nothing_is_loaded_from_elsewhere_and_nothing_gets_out_of_its_place() -> None:
    text = render("html", Report([evil(), fixable()], problems=[Problem("<b>x</b>", "a&b")]), Context())
    found = Page(text)
    assert not [one for _, attributes in found.elements for one in attributes if one.startswith("on")]
    assert not [one for _, attributes in found.elements for one in attributes if one in ("src", "srcset")]
    assert [one["href"] for one in found.all("a")] == ["#findings"]
    assert not found.all("img")
    assert not found.all("b")
    assert "url(" not in text
    assert "default-src 'none'" in found.all("meta")[2]["content"]
    assert "\x1b" not in text
    pages = json.loads(re.findall(r'type="application/json">(.*?)</script>', text, re.DOTALL)[0])
    assert sorted(pages) == ["DDP101", "DDP102"]


def test_it_can_be_used_without_eyes_and_without_a_mouse() -> None:
    found = page(everything())
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in found.elements:
        for reference in (*attributes.get("aria-labelledby", "").split(), attributes.get("for", "")):
            assert not reference or reference in ids
    assert all(one.get("role") == "img" and one.get("aria-labelledby") for one in found.all("svg"))
    assert {one["id"] for one in found.all("select")} == {one["for"] for one in found.all("label")}
    assert all(one["type"] in ("button", "reset") for one in found.all("button"))
    assert found.all("html")[0]["lang"] == "en"


def test_the_picture_has_a_lane_for_every_rank_and_parts_them_in_red() -> None:
    drawing = xml.fromstring(picture(diagnostics(), 1))
    heads = [one.text for one in drawing.iter("text") if one.get("class") == "head"]
    assert heads == ["rank 0", "rank 1", "rank 2", "rank 3"]
    parted = [one for one in drawing.iter("g") if one.get("class") == "end parted"]
    assert [[text.text for text in one.iter("text")] for one in parted] == [
        ["DDP forward", "line 13"], *[["gradient all-reduce", "line 20"]] * 3,
    ]  # fmt: skip
    tops = [int(one.get("y", "0")) for one in drawing.iter("rect")]
    assert tops == sorted(tops)
    assert described(diagnostics()).endswith(
        "rank 0: DDP forward line 13. ranks 1, 2, 3: gradient all-reduce line 20, they wait here for rank 0."
    )
    assert picture(fixable(), 1) == ""


def test_ranks_that_do_the_same_are_not_parted() -> None:
    same = tuple(dataclasses.replace(one, what="barrier") for one in diagnostics().actions)
    drawing = xml.fromstring(picture(dataclasses.replace(diagnostics(), actions=same), 1))
    assert not [one for one in drawing.iter("line") if one.get("class") == "parted"]


def test_colours_can_be_read_in_light_and_dark() -> None:
    text = render("html", Report(), Context())
    for block in re.findall(r":root \{(.*?)\}", text, re.DOTALL):
        colours = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
        for name in ("text", "soft", "red", "amber", "blue"):
            for ground in ("page", "panel"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
        for ground in ("mark", "box", "red-panel"):
            assert contrast(colours["text"], colours[ground]) >= 4.5, ground


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PRESS = """
<script>{
  const told = document.createElement("output"), say = (text) => { told.textContent += text + ";"; };
  told.id = "told";
  document.body.append(told);
  const shown = () => Array.from(document.querySelectorAll(".finding")).filter((one) => one.offsetHeight).length;
  say(document.getElementById("count").textContent); say(shown());
  const rule = document.getElementById("rule");
  rule.value = "DDP101"; rule.dispatchEvent(new Event("change")); say(shown());
  const button = document.querySelector(".finding:not([hidden]) .about");
  button.click(); say(button.getAttribute("aria-expanded")); say(button.nextElementSibling.offsetHeight > 0);
  say(document.documentElement.scrollWidth <= window.innerWidth);
}</script>
"""


@pytest.mark.skipif(BROWSER is None, reason="needs a Chromium")
def test_the_filters_and_pages_work_in_a_browser(tmp_path: Path) -> None:
    text = render("html", Report([diagnostics(), fixable()]), Context())
    (tmp_path / "page.html").write_text(text.replace("</body>", PRESS + "</body>"), "utf-8")
    command = [
        str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=2000", "--dump-dom", (tmp_path / "page.html").as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r'<output id="told">(.*?)</output>', done.stdout)
    assert found is not None, done.stderr[-2000:]
    assert found[1] == "2 of 2 findings;2;1;true;true;true;"


def test_a_page_without_findings_says_so() -> None:
    assert "No findings in 0 files." in "".join(page(Report()).text)


def test_lines_that_are_not_near_are_cut() -> None:
    finding = diagnostics()
    notes = (dataclasses.replace(finding.notes[0], place=place(finding.place.file, "denoise(batch)")),)
    text = render("html", Report([dataclasses.replace(finding, notes=notes)]), Context())
    assert text.count('class="cut"') == 1
