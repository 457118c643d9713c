"""Methods that a framework calls by their base class belong to what hands it their object."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.project.index.library import COMMUNICATES
from tests.project.index import effects, write

BASE = "from mmengine.hooks import Hook\n\n\nclass Base(Hook):\n    pass\n"
HOOK = (
    "import torch.distributed as dist\nfrom base import Base\n\n\nclass Agree(Base):\n"
    "    def after_train_epoch(self, runner):\n        dist.barrier()\n\n    def other(self):\n        pass\n"
)
HANDED = {
    "itself": "    runner.register_hook(Agree())\n",
    "by a name": "    hook = Agree()\n    runner.register_hook(hook)\n",
    "by keyword": "    runner.register_hook(hook=Agree())\n",
    "in a list": "    Runner(hooks=[Agree(), Plain()])\n",
    "in a list of one": "    Runner(hooks=[Agree()])\n",
}
OTHERS = {
    "made only": "    hook = Agree()\n    print(runner)\n",
    "one without a hook": "    runner.register_hook(Plain())\n",
    "the class alone": "    runner.register_hook(Agree)\n",
}
MAIN = "from mmengine.runner import Runner\nfrom agree import Agree\n\n\nclass Plain:\n    def after_train_epoch(self):\n        pass\n\n\n"


def run(body: str, folder: Path) -> set[str]:
    write(folder, base=BASE, agree=HOOK, main=f"{MAIN}def run(runner):\n{body}")
    return effects(folder, "main", "run")


@pytest.mark.parametrize("form", HANDED)
def test_who_hands_an_object_to_a_framework_does_what_its_hooks_do(form: str, tmp_path: Path) -> None:
    assert COMMUNICATES in run(HANDED[form], tmp_path)


@pytest.mark.parametrize("form", OTHERS)
def test_who_does_not_does_not(form: str, tmp_path: Path) -> None:
    assert COMMUNICATES not in run(OTHERS[form], tmp_path)
