"""The page for people: complete in itself, safe, and usable without seeing the pictures."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ddplint.findings.results import Problem, Report
from ddplint.report import render
from ddplint.report.context import Context
from ddplint.report.page.lanes import described, picture
from ddplint.rule import Finding, Outcome, RankAction
from ddplint.source.file import SourceFile
from tests.report.test_formats import everything, fixable
from tests.stub import diagnostics, place

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
    return Page(render("html", report, CONTEXT))


CONTEXT = Context(command="ddplint --output html=report.html .", now=datetime.datetime(2026, 3, 1, 9, 30))


def evil() -> Finding:
    said = "</script><img src=x onerror=alert(1)> {{STYLE}} & \x1b"
    return dataclasses.replace(diagnostics(), message=said, no_fix=said, code="DDP102", name='"><i>')


def words(found: Page) -> str:
    return " ".join(" ".join(found.text).split())


def test_every_root_has_its_code_its_lanes_and_what_to_do() -> None:
    found = page(everything())
    assert [(one["data-rule"], one["data-file"]) for one in found.all("article")] == [
        ("DDP102", "train.py"),
        ("DDP101", "a b.py"),
    ]
    text = words(found)
    assert "gradient all-reduce they wait here for rank 0 train.py:20" in text
    assert len([one for one in found.all("table") if one.get("class") == "lanes"]) == 1
    assert "bad.py:3:1: error: syntax error" in text
    assert "No automatic fix : Model.denoise also serves training" in text


def test_the_page_begins_with_what_the_run_came_to() -> None:
    text = words(page(everything()))
    head = text[: text.index("By rule")]
    for said in (
        "Command ddplint --output html=report.html .", "Date 2026-03-01 09:30 UTC", "2 findings (", "1 error",
        "can hang the job", "may have lost or wrong data", "with an automatic fix", "root causes",
    ):  # fmt: skip
        assert said in head


def test_nothing_is_loaded_from_elsewhere_and_nothing_gets_out_of_its_place() -> None:
    text = render("html", Report([evil(), fixable()], problems=[Problem("<i>x</i>", "a&b")]), CONTEXT)
    found = Page(text)
    names = [one for _, attributes in found.elements for one in attributes]
    assert not [one for one in names if one.startswith("on") or one in ("src", "srcset", "style")]
    links = {one["href"] for one in found.all("a")}
    assert {one for one in links if one.startswith("#")} == {"#findings", "#rule-DDP101", "#rule-DDP102"}
    assert all(one.startswith(("#", "https://github.com/")) for one in links)
    assert not found.all("img")
    assert not found.all("i")
    assert "url(" not in text
    assert "\x1b" not in text


def test_the_policy_allows_this_style_and_this_script_alone() -> None:
    text = render("html", everything(), CONTEXT)
    policy = next(one["content"] for one in Page(text).all("meta") if "http-equiv" in one)
    for tag in ("style", "script"):
        (code,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        mark = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{mark}'" in policy
    assert policy.startswith("default-src 'none'; ")


def test_it_can_be_used_without_eyes_and_without_a_mouse() -> None:
    found = page(everything())
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in found.elements:
        for reference in (*attributes.get("aria-labelledby", "").split(), attributes.get("for", "")):
            assert not reference or reference in ids
    fields = {one["id"] for tag in ("select", "input") for one in found.all(tag)}
    assert fields == {one["for"] for one in found.all("label")}
    assert all(one["type"] in ("button", "reset") for one in found.all("button"))
    assert found.all("html")[0]["lang"] == "en"
    assert all(one.get("scope") in ("col", "row") for one in found.all("th"))
    assert len(found.all("main")) == len(found.all("h1")) == 1


def boxes(finding: Finding) -> list[tuple[str, str]]:
    """Kind and words of every box of the lanes, in order."""
    drawn = re.findall(r'<div class="box (\w+)">(.*?)</div>', picture(finding))
    return [(kind, " ".join(re.sub(r"<[^>]+>", " ", text).split())) for kind, text in drawn]


def test_the_lanes_show_the_causes_the_calls_in_order_and_who_waits() -> None:
    assert boxes(diagnostics()) == [
        ("origin", "differs by rank rank == 0 train.py:17"),
        ("guard", "only rank 0 goes in should_diag train.py:21"),
        ("call", "enters model.all_kl(batch) train.py:22"),
        ("call", "in Model.all_kl calc_bpd(self.denoise, batch) train.py:10"),
        ("call", "in calc_bpd denoise(batch) train.py:5"),
        ("enters", "DDP forward train.py:13"),
        ("waits", "gradient all-reduce they wait here for rank 0 train.py:20"),
    ]
    drawn = picture(diagnostics())
    assert re.findall(r'<span class="rank">(.*?)</span>', drawn) == ["rank 0", "rank 1", "rank 2", "rank 3"]
    assert drawn.count('class="key ') == 2
    said = described(diagnostics())
    assert "rank 0: DDP forward (train.py:13). ranks 1, 2, 3: gradient all-reduce (train.py:20)" in said
    assert said.endswith(". they wait here for rank 0.")
    assert picture(fixable()) == ""


def test_what_is_called_alike_on_both_sides_is_not_shown_as_met() -> None:
    same = tuple(dataclasses.replace(one, what="DDP forward") for one in diagnostics().actions)
    kinds = [kind for kind, _ in boxes(dataclasses.replace(diagnostics(), actions=same))]
    assert kinds[-2:] == ["enters", "waits"]
    assert "ranks diverge" in picture(diagnostics())


def test_a_decision_without_a_guard_is_in_the_picture_and_work_is_no_waiting() -> None:
    notes = tuple(one for one in diagnostics().notes if one.role == "origin")
    decision = dataclasses.replace(diagnostics(), notes=notes)
    assert ("guard", "each rank decides or does this by itself model.all_kl(batch) train.py:22") in boxes(decision)
    slow = dataclasses.replace(diagnostics(), outcome=Outcome.LATE)
    assert [kind for kind, _ in boxes(slow)][-2:] == ["works", "waits"]
    over = dataclasses.replace(diagnostics().actions[1], place=None, remark="", waits=False)
    done = dataclasses.replace(diagnostics(), actions=(diagnostics().actions[0], over))
    assert [kind for kind, _ in boxes(done)][-2:] == ["enters", "ends"]


def test_ranks_that_are_not_compared_have_a_lane_of_their_own() -> None:
    last = RankAction((4,), "do not come by here", apart=True)
    three = dataclasses.replace(diagnostics(), actions=(*diagnostics().actions, last))
    assert boxes(three)[-1] == ("apart", "do not come by here")
    assert "rank 4" in picture(three)
    assert "rank 4: do not come by here" in described(three)


def test_the_exact_range_is_marked_in_coloured_code() -> None:
    text = render("html", Report([diagnostics()]), CONTEXT)
    assert '<mark class="own">model.all_kl(batch)</mark>' in text
    assert '<span class="keyword">if</span>' in text
    assert '<mark class="noted">should_diag</mark>' in text
    assert '<p class="said guard">only rank 0 goes in</p>' in text


def test_a_fix_is_shown_as_a_diff() -> None:
    text = render("html", Report([fixable()]), CONTEXT)
    added = re.findall(r'<span class="added">(.*?)</span>', text)
    removed = re.findall(r'<span class="removed">(.*?)</span>', text)
    assert added
    assert removed
    assert all(line.startswith("+") for line in added)


def test_copies_are_one_card_with_their_places() -> None:
    def copy(path: str) -> Finding:
        return dataclasses.replace(fixable(), place=place(SourceFile(path, b"barrier()\n"), "barrier()", 2), fix=None)

    found = page(Report([copy("a.py"), copy("b.py"), copy("c.py")]))
    (card,) = found.all("article")
    assert card["data-file"] == "a.py\nb.py\nc.py"
    assert "2 further places with the same root cause b.py :1 c.py :1" in words(found).replace(
        "b.py:1", "b.py :1"
    ).replace("c.py:1", "c.py :1")


def test_the_pages_of_the_rules_are_rendered() -> None:
    text = render("html", Report([diagnostics()]), CONTEXT)
    book = text[text.index('id="rule-DDP102"') : text.index("</main>")]
    assert "<h4>What it does</h4>" in book
    assert "##" not in book
    assert "**" not in re.sub(r"<pre>.*?</pre>", "", book, flags=re.DOTALL)
    assert "`" not in re.sub(r"<pre>.*?</pre>", "", book, flags=re.DOTALL)


def test_colours_can_be_read_in_light_and_dark() -> None:
    text = render("html", Report(), Context())
    for block in re.findall(r":root \{(.*?)\}", text, re.DOTALL):
        colours = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
        for name in ("text", "soft", "red", "amber", "blue", "green", "purple"):
            for ground in ("page", "panel"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
        for ground in ("own", "noted", "box", "red-panel", "amber-panel", "added", "removed"):
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
  const cards = () => Array.from(document.querySelectorAll(".finding"));
  const shown = () => cards().filter((one) => one.offsetHeight).length;
  const set = (id, value, event) => {
    const box = document.getElementById(id);
    box.value = value;
    box.dispatchEvent(new Event(event));
  };
  say(document.getElementById("count").textContent); say(shown());
  set("rule", "DDP101", "change"); say(shown());
  set("rule", "", "change"); set("severity", "error", "change"); say(shown());
  set("severity", "", "change"); set("search", "GRADIENT all_kl", "input"); say(shown());
  set("search", "no such thing", "input"); say(shown()); set("search", "", "input");
  set("sort", "file", "change"); say(cards()[0].dataset.file);
  set("sort", "worst", "change"); say(cards()[0].dataset.file);
  const page = document.getElementById("rule-DDP102"); say(page.open);
  document.querySelector('a[href="#rule-DDP102"]').click(); say(page.open);
  say(document.documentElement.scrollWidth <= WIDTH);
}</script>
"""


def dom(page: Path, *options: str) -> str:
    """The document after its scripts ran."""
    command = [
        str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent / 'profile'}",
        *options, "--virtual-time-budget=2000", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout


@pytest.mark.skipif(BROWSER is None, reason="needs a Chromium")
def test_filters_order_and_links_work_in_a_browser_under_its_policy(tmp_path: Path) -> None:
    text = render("html", Report([diagnostics(), fixable()]), CONTEXT)
    press = PRESS.replace("WIDTH", "window.innerWidth")
    (code,) = re.findall(r"<script>(.*?)</script>", press, re.DOTALL)
    mark = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    text = text.replace("script-src '", f"script-src 'sha256-{mark}' '").replace("</body>", press + "</body>")
    (tmp_path / "page.html").write_text(text, "utf-8")
    found = re.search(r'<output id="told">(.*?)</output>', dom(tmp_path / "page.html"))
    assert found is not None
    assert found[1] == "2 of 2 shown;2;1;1;1;0;a b.py;train.py;false;true;true;"


@pytest.mark.skipif(BROWSER is None, reason="needs a Chromium")
@pytest.mark.parametrize(("scheme", "background"), [(1, "rgb(255, 255, 255)"), (0, "rgb(15, 20, 25)")])
def test_it_is_dark_where_that_is_preferred(scheme: int, background: str, tmp_path: Path) -> None:
    text = render("html", Report([diagnostics()]), CONTEXT)
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    say = "<script>document.title = getComputedStyle(document.body).backgroundColor;</script>"
    (tmp_path / "page.html").write_text(text.replace("</body>", say + "</body>"), "utf-8")
    drawn = dom(tmp_path / "page.html", f"--blink-settings=preferredColorScheme={scheme}")
    assert f"<title>{background}</title>" in drawn


@pytest.mark.skipif(BROWSER is None, reason="needs a Chromium")
def test_nothing_is_wider_than_a_phone(tmp_path: Path) -> None:
    wide = dataclasses.replace(diagnostics(), message="`" + "x" * 200 + "`", no_fix="y" * 200)
    text = render("html", Report([diagnostics(), fixable(), wide]), CONTEXT)
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    frame = "<script>document.write('<iframe width=390 height=900></iframe>');"
    frame += "const w = frames[0], d = w.document; d.open(); d.write(TEXT); d.close();"
    frame += "const out = (card) => Array.from(card.querySelectorAll('*')).filter((one) => !one.closest('pre, .lines')"
    frame += " && one.getBoundingClientRect().right > card.getBoundingClientRect().right + 0.5).length;"
    frame += "setTimeout(() => { const stray = Array.from(d.querySelectorAll('.finding')).map(out).join('+');"
    frame += (
        "document.body.append(stray + ' stray, ' + d.documentElement.scrollWidth + ' of ' + w.innerWidth); }, 500);"
    )
    frame += "</script>"
    text = json.dumps(text).replace("</", "<\\/")
    (tmp_path / "page.html").write_text("<!DOCTYPE html><body>" + frame.replace("TEXT", text) + "</body>", "utf-8")
    found = re.search(r"([\d+]+) stray, (\d+) of (\d+)\s*</body>", dom(tmp_path / "page.html"))
    assert found is not None
    assert found[1] == "0+0"
    assert int(found[2]) <= int(found[3]) <= 390


def test_a_page_without_findings_says_so() -> None:
    assert "No findings in 0 files." in words(page(Report()))


def test_lines_that_are_not_near_are_cut() -> None:
    finding = diagnostics()
    notes = (dataclasses.replace(finding.notes[0], place=place(finding.place.file, "denoise(batch)")),)
    text = render("html", Report([dataclasses.replace(finding, notes=notes)]), CONTEXT)
    assert text.count('class="cut"') == 1
