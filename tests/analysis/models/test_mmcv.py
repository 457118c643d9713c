"""Hooks, runner and evaluation of MMCV 1.x."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HOOK = """\
import torch.distributed as dist
from {module} import {base}

class Mine({base}):
    def {method}(self, runner):
        {body}
"""
GUARDED = "if runner.rank == 0:\n            dist.barrier()"


@pytest.mark.parametrize(
    ("module", "base", "method"),
    [
        ("mmcv.runner", "Hook", "after_train_epoch"),
        ("mmcv.runner.hooks", "Hook", "before_run"),
        ("mmcv.runner.hooks.hook", "Hook", "after_iter"),
        ("mmcv.runner", "DistEvalHook", "_do_evaluate"),
        ("mmcv.runner", "LoggerHook", "after_train_iter"),
        ("mmdet.core", "DistEvalHook", "_do_evaluate"),
        ("mmseg.core", "DistEvalHook", "after_train_iter"),
        ("mmengine.hooks", "Hook", "after_train_epoch"),
    ],
)
def test_a_hook_knows_the_rank_of_its_runner(module: str, base: str, method: str) -> None:
    found = found_in(HOOK.format(module=module, base=base, method=method, body=GUARDED), "DDP101")
    assert [one.message for one in found] == ["barrier reached by rank 0 only"]
    fine = HOOK.format(module=module, base=base, method=method, body="dist.barrier()")
    assert not found_in(fine, "DDP1")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("runner.save_checkpoint(runner.work_dir)", "DDP201"),
        ("import mmcv; mmcv.dump({}, 'results.json')", "DDP201"),
        ("from mmdet.apis import multi_gpu_test\n        runner.rank or multi_gpu_test(runner.model, [])", "DDP101"),
    ],
)
def test_what_the_runner_does(body: str, code: str) -> None:
    source = HOOK.format(module="mmcv.runner", base="Hook", method="after_train_epoch", body=body)
    assert [one.code for one in found_in(source, "DDP1", "DDP2")] == [code]
