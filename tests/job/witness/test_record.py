"""The kept record of ``fixtures/watch`` is of all fixtures that hang or look alike."""

from __future__ import annotations

import json

from fixtures.harness.fixture import ROOT, load_all


def test_the_record_is_of_every_fixture_and_says_what_failed() -> None:
    record = json.loads((ROOT / "results" / "witness.json").read_text("utf-8"))
    seen = {one["fixture"]: one for one in record["seen"]}
    fixtures = [one for one in load_all() if one.fault == "hang" or not one.faulty]
    assert {one.name for one in fixtures} == seen.keys() | record["skipped"].keys()
    for fixture in fixtures:
        if fixture.name in seen:
            good = "named" if fixture.faulty else "silent"
            assert seen[fixture.name]["verdict"] == ("failed" if seen[fixture.name]["problems"] else good)
