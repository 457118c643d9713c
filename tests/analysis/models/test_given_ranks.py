"""Calls that give ranks and numbers of processes as a tuple, each part in its place."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

FOUND = {
    "the rank of get_dist_info": (
        "DDP101",
        """
        from modelscope.utils.torch_utils import get_dist_info
        rank, world = get_dist_info()
        if rank == 0:
            dist.barrier()
        """,
    ),
    "the global rank of four": (
        "DDP101",
        """
        from swift.utils import get_dist_setting
        rank, local, world, of_node = get_dist_setting()
        if rank == 0:
            dist.barrier()
        """,
    ),
    "the local rank of four": (
        "DDP204",
        """
        from swift.utils import get_dist_setting
        _, local, world, of_node = get_dist_setting()
        if local == 0:
            torch.save(x, "/data/model.pt")
        """,
    ),
    "what the beginning of the group gives": (
        "DDP101",
        """
        from verl.utils.distributed import initialize_global_process_group
        local, mine, world = initialize_global_process_group()
        if mine == 0:
            dist.barrier()
        """,
    ),
}

SILENT = {
    "how many there are": """
        from modelscope.utils.torch_utils import get_dist_info
        if get_dist_info()[1] > 1:
            dist.barrier()
        """,
    "how many there are, of four": """
        from swift.utils import get_dist_setting
        rank, local, world, of_node = get_dist_setting()
        if world == 4 and of_node == 2:
            dist.barrier()
        """,
    "how many the beginning of the group tells of": """
        from verl.utils.distributed import initialize_global_process_group
        local, mine, world = initialize_global_process_group()
        if world > 1:
            dist.barrier()
        """,
    "the global rank writes": """
        from swift.utils import get_dist_setting
        if get_dist_setting()[0] == 0:
            torch.save(x, "/data/model.pt")
        """,
    "one of the node goes first": """
        from swift.utils import safe_ddp_context
        with safe_ddp_context("x"):
            load(x)
        """,
    "the same folder for all": """
        import os
        from modelscope.utils.torch_utils import make_tmp_dir
        folder = make_tmp_dir()
        if os.path.basename(folder).startswith("a"):
            dist.barrier()
        """,
    "asked of a library that is not known": """
        from another import get_dist_setting
        rank, local, world, of_node = get_dist_setting()
        if world:
            dist.barrier()
        """,
}


@pytest.mark.parametrize("case", FOUND)
def test_found(case: str) -> None:
    code, program = FOUND[case]
    assert findings(program, code)


@pytest.mark.parametrize("case", SILENT)
@pytest.mark.parametrize("code", ["DDP101", "DDP104", "DDP201", "DDP204"])
def test_silent(case: str, code: str) -> None:
    assert not findings(SILENT[case], code)


def test_a_log_is_opened_by_each() -> None:
    program = """
        import dllogger
        dllogger.init(backends=[dllogger.JSONStreamBackend(dllogger.Verbosity.VERBOSE, "log.json"{more})])
    """
    assert findings(program.format(more=""), "DDP201")
    assert not findings(program.format(more=", append=True"), "DDP201")
    guarded = program.replace("dllogger.init", "if rank == 0:\n            dllogger.init")
    assert not findings(guarded.format(more=""), "DDP201")
