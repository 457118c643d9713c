"""Remedies that are often proposed and do not cure: each is met by a rule, and the rule's page says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.rulebook.registry import load_rules
from tests.inserting.support import run_on_two
from tests.rules.support import at

START = (
    "import torch\nimport torch.distributed as dist\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n\n"
)
INIT = 'dist.init_process_group("gloo")\nrank = dist.get_rank()\nx = torch.zeros(2, 4)\n'

BARRIERS = f"""{START}{INIT}model = DDP(torch.nn.BatchNorm1d(4))
dist.barrier()
if rank == 0:
    with torch.no_grad():
        model(x)
dist.barrier()
"""
ALARM = f"""import signal
from contextlib import contextmanager
{START}

@contextmanager
def at_most(seconds):
    def too_late(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_late)
    try:
        signal.alarm(seconds)
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


{INIT}for piece in x.split(1):
    with at_most(60):
        dist.all_reduce(piece)
"""
VARIABLES = f"""import os
{START}os.environ["NCCL_TIMEOUT"] = "1800"
os.environ["TORCH_DIST_TIMEOUT"] = "30"
{INIT}"""
TOO_LATE = f"""from datetime import timedelta
from accelerate import Accelerator, InitProcessGroupKwargs
{START}{INIT}accelerator = Accelerator(kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(hours=2))])
"""
CAUGHT = f"""{START}{INIT}

def evaluate(model):
    total = model(x).sum()
    dist.all_reduce(total)
    return total.item()


for step in range(3):
    try:
        evaluate(torch.nn.Linear(4, 1))
    except Exception as error:
        if "timeout" in str(error).lower():
            print("skipped")
"""


@pytest.mark.parametrize(
    ("program", "code", "lines", "said"),
    [
        (BARRIERS, "DDP102", ["model(x)"], "barrier"),
        (ALARM, "DDP405", ["signal.alarm(seconds)"], "signal handler"),
        (
            VARIABLES,
            "DDP501",
            ['os.environ["NCCL_TIMEOUT"] = "1800"', 'os.environ["TORCH_DIST_TIMEOUT"] = "30"'],
            "nothing reads",
        ),
        (TOO_LATE, "DDP404", [TOO_LATE.splitlines()[-1]], "the group exists"),
        (CAUGHT, "DDP105", ["evaluate(torch.nn.Linear(4, 1))"], "Catching the timeout"),
    ],
    ids=["barriers around a forward", "alarm", "variables", "timeout after init", "caught timeout"],
)
def test_a_remedy_that_does_not_cure_is_met_by_a_rule(
    program: str, code: str, lines: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a project that reads no variable itself
    assert at(program, code) == lines
    rule = load_rules().find(code)
    assert rule is not None
    assert said in " ".join((type(rule).__doc__ or "").split())


@pytest.mark.torchrun
def test_after_a_caught_timeout_nothing_is_reduced_any_more(tmp_path: Path) -> None:
    """Rank 0 is late until rank 1 has given up, however long that takes; the group begins when both are there.

    Neither leaves before the other is done: gloo may abort a process that ends, and torchrun then ends the other.
    """
    program = """\
    import os
    import time
    from datetime import timedelta
    from pathlib import Path

    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ["DDP_TIMEOUT"])))
    rank = dist.get_rank()
    gave_up = Path(os.environ["OUT"], "gave up")
    dist.barrier()
    group = dist.new_group(timeout=timedelta(seconds=6))
    for step in range(4):
        while step == 1 and rank == 0 and not gave_up.exists():
            time.sleep(0.1)
        number = torch.ones(1)
        try:
            dist.all_reduce(number, group=group)
            print(f"step {step}: {number.item():g}", flush=True)
        except RuntimeError:
            gave_up.touch()
            print(f"step {step}: skipped", flush=True)
    print("FINISHED", flush=True)
    Path(os.environ["OUT"], f"done {rank}").touch()
    while not all(Path(os.environ["OUT"], f"done {one}").exists() for one in (0, 1)):
        time.sleep(0.1)
    """
    done = run_on_two(program, tmp_path, seconds=60)
    expected = ["step 0: 2", "step 1: skipped", "step 2: skipped", "step 3: skipped", "FINISHED"]
    for out in done.stdout:
        assert out.splitlines() == expected, (done.killed, done.exit_codes, done.stderr, done.agent)
