"""DDP402 slow-rank-zero-work."""

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.rule import Confidence, Severity
from tests.rules.support import at, file_of, found_in, walks_of

CODE = "DDP402"

HEAD = """\
import torch
import torch.distributed as dist
from accelerate import Accelerator, InitProcessGroupKwargs
from contextlib import contextmanager
from datasets import load_dataset
from datetime import timedelta
from huggingface_hub import snapshot_download
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from setup import limit, model, options, tokenize, x

"""
INIT = 'dist.init_process_group("nccl")\nrank = dist.get_rank()\ndata = load_dataset("text")\n'
TIMED = 'dist.init_process_group("nccl", timeout={})\nrank = dist.get_rank()\ndata = load_dataset("text")\n'
GUARDED = "if rank == 0:\n    data = data.map(tokenize)\ndist.barrier()\n"


def test_the_default_that_applies_is_named() -> None:
    [found] = found_in(HEAD + INIT + GUARDED, CODE)
    assert found.severity is Severity.WARNING
    assert found.message == (
        "Dataset.map on rank 0 while the others wait, at most NCCL's default timeout of 10 minutes"
    )
    assert found.fix is None


def test_the_timeout_that_is_written_out_is_named() -> None:
    [found] = found_in(HEAD + TIMED.format("timedelta(minutes=15)") + GUARDED, CODE)
    assert found.message.endswith("at most the timeout of 15 minutes")


@pytest.mark.parametrize(
    ("begins", "default"),
    [
        ("import deepspeed\ndeepspeed.init_distributed()", "deepspeed's default of 10 minutes (30 before 0.19.6)"),
        ("from composer.utils import dist as own\nown.initialize_dist('gpu')", "composer's default of 5 minutes"),
        ("from verl.utils.distributed import *\ninitialize_global_process_group()", None),
        ("from swift.utils import init_process_group\ninit_process_group()", None),
    ],
)
def test_the_default_of_a_framework(begins: str, default: str | None) -> None:
    """Ten hours and more are long enough."""
    found = found_in(HEAD + begins + "\nrank = dist.get_rank()\ndata = load_dataset('text')\n" + GUARDED, CODE)
    assert [one.message.rpartition("at most ")[2] for one in found] == ([default] if default else [])


FIRES = {
    "next collective": GUARDED.replace("dist.barrier()", "dist.all_reduce(x)"),
    "next gradient": "net = DDP(model)\nif rank == 0:\n    snapshot_download('m')\nnet(x).sum().backward()\n",
    "in a helper": "def prepare():\n    return data.filter(tokenize)\nif rank == 0:\n    prepare()\ndist.barrier()\n",
    "after a return": "def main():\n    if rank == 0:\n"
    "        data['train'].map(tokenize)\n    dist.barrier()\nmain()\n",
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert len(found_in(HEAD + INIT + FIRES[name], CODE)) == 1


def test_place_is_what_stands_beside_the_wait() -> None:
    assert at(HEAD + INIT + FIRES["in a helper"], CODE) == ["prepare()"]


FIRST = {
    "accelerate": "accelerator = Accelerator()\n"
    "with accelerator.main_process_first():\n    data = data.map(tokenize)\n",
    "own context manager": """\
@contextmanager
def rank0_first():
    if rank == 0:
        yield
    dist.barrier()
    if rank > 0:
        yield
    dist.barrier()

with rank0_first():
    data = data.map(tokenize)
""",
    "pair of barriers": """\
if rank != 0:
    dist.barrier()
data = data.map(tokenize)
if rank == 0:
    dist.barrier()
""",
}


@pytest.mark.parametrize("name", FIRST)
def test_main_process_first_is_advice_where_asked_for(name: str) -> None:
    assert found_in(HEAD + INIT + FIRST[name], CODE) == []
    settings = Settings(select=(CODE,), min_confidence=Confidence.LOW)
    [found] = Checker(settings).run([file_of(HEAD + INIT + FIRST[name])]).findings
    assert found.severity is Severity.ADVICE
    assert found.message.startswith("Dataset.map on rank 0 while the others wait")


SILENT = {
    "on every rank": INIT + GUARDED.replace("if rank == 0:\n    ", ""),
    "nobody waits": INIT + GUARDED.replace("dist.barrier()\n", ""),
    "before the guard everybody has it": INIT
    + "data = data.map(tokenize)\nif rank == 0:\n    print(data)\ndist.barrier()\n",
    "two hours": TIMED.format("timedelta(hours=2)") + GUARDED,
    "two hours behind a name": "LIMIT = timedelta(minutes=120)\n" + TIMED.format("LIMIT") + GUARDED,
    "a timeout from the configuration": TIMED.format("limit") + GUARDED,
    "a group from elsewhere": INIT + GUARDED.replace("barrier()", "barrier(options.group)"),
    "a group with its own timeout": INIT
    + "slow = dist.new_group(timeout=timedelta(hours=6))\ndist.barrier(slow)\n"
    + GUARDED.replace("barrier()", "barrier(slow)"),
    "a barrier with its own timeout": INIT + GUARDED.replace("barrier()", "barrier(timeout=timedelta(hours=6))"),
    "accelerate with its own timeout": "own = InitProcessGroupKwargs(timeout=limit)\n"
    "accelerator = Accelerator(kwargs_handlers=[own])\n"
    "data = load_dataset('text')\n" + FIRST["accelerate"].partition("\n")[2],
    "a quick thing": INIT + "if rank == 0:\n    print(len(data))\ndist.barrier()\n",
    "a save": INIT + "if rank == 0:\n    torch.save(model.state_dict(), 'm.pt')\ndist.barrier()\n",
    "a guard that is not about ranks": INIT + GUARDED.replace("rank == 0", "options.prepare"),
    "without distribution": "data = load_dataset('text').map(tokenize)\n",
    "a data set that is downloaded once": INIT + "from torchvision.datasets import CIFAR10\n"
    "if rank == 0:\n    CIFAR10('.', download=True)\ndist.barrier()\n",
    "evaluation of a length nobody knows": INIT + "loader = DataLoader(data)\n"
    "if rank == 0:\n    for y in loader:\n        model(y)\ndist.barrier()\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


def test_evaluation_against_a_short_timeout() -> None:
    text = HEAD + TIMED.format("timedelta(seconds=60)") + SILENT["evaluation of a length nobody knows"][len(INIT) :]
    [found] = found_in(text, CODE)
    assert found.message == "a pass over a data loader on rank 0 while the others wait, at most the timeout of 1 minute"


def test_main_process_first_against_its_own_timeout() -> None:
    text = HEAD + TIMED.format("timedelta(minutes=10)") + FIRST["pair of barriers"]
    assert [found.severity for found in found_in(text, CODE)] == [Severity.ADVICE]


def test_init_without_timeout_becomes_a_warning() -> None:
    [found] = found_in(HEAD + INIT + GUARDED, "DDP401")
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("written", "minutes"),
    [
        ("timedelta(minutes=90)", 90),
        ("timedelta(0, 30 * 60)", 30),
        ("timedelta(hours=1, seconds=30)", 60.5),
        ("timedelta(1, hours=1, milliseconds=60_000)", 1501),
        ("(lambda hours: timedelta(hours=hours))(2)", 120),
        ("timedelta(seconds=limit)", None),
        ("timedelta(minutes=30, seconds=limit)", None),
        ("limit", None),
    ],
)
def test_minutes(written: str, minutes: float | None) -> None:
    from ddplint_rules.runtime._helpers.timeouts import limit_of_call

    walks = walks_of(HEAD + TIMED.format(written))
    limit = limit_of_call(next(event for event in walks[0].events if event.effect == "init"), walks)
    assert limit is not None
    assert limit.minutes == minutes


ALONE = {
    "a checkpoint": "if rank == 0:\n    torch.save(model.state_dict(), 'm.pt')\ndist.barrier()\n",
    "a tracker": "import wandb\nif rank == 0:\n    wandb.init(project='p')\ndist.all_reduce(x)\n",
}
NOT_ALONE = {
    "lines of text": "if rank == 0:\n    open('log.txt', 'w').write('done')\ndist.barrier()\n",
    "nobody waits": "if rank == 0:\n    torch.save(model.state_dict(), 'm.pt')\n",
    "all ranks": "torch.save(model.state_dict(), f'm{rank}.pt')\ndist.barrier()\n",
    "a group with more time": (
        "patient = dist.new_group(timeout=timedelta(hours=2), backend='gloo')\n"
        "if rank == 0:\n    torch.save(model.state_dict(), 'm.pt')\ndist.barrier(group=patient)\n"
    ),
    "a group from a helper": (
        "def groups():\n    return x, dist.new_group(timeout=timedelta(hours=2))\n\n\n_, patient = groups()\n"
        "if rank == 0:\n    torch.save(model.state_dict(), 'm.pt')\ndist.barrier(group=patient)\n"
    ),
    "a curve": "from torch.utils.tensorboard import SummaryWriter\n"
    "if rank == 0:\n    SummaryWriter('runs')\ndist.barrier()\n",
}


@pytest.mark.parametrize("name", ALONE)
def test_a_timeout_that_is_shorter_than_ordinary_work(name: str) -> None:
    [found] = found_in(HEAD + TIMED.format("timedelta(seconds=60)") + ALONE[name], CODE)
    assert found.message.startswith("the timeout of 1 minute bounds what rank 0 may do alone")
    assert found_in(HEAD + TIMED.format("timedelta(minutes=2)") + ALONE[name], CODE) == []
    assert found_in(HEAD + INIT + ALONE[name], CODE) == []


@pytest.mark.parametrize("name", NOT_ALONE)
def test_a_short_timeout_that_suffices(name: str) -> None:
    assert found_in(HEAD + TIMED.format("timedelta(seconds=60)") + NOT_ALONE[name], CODE) == []


@pytest.mark.parametrize(
    ("group", "limit"),
    [
        ("dist.new_group(timeout=timedelta(minutes=5))", "the timeout of 5 minutes"),
        ('dist.new_group(backend="gloo")', "the default of a new group (30 minutes), which inherits nothing"),
    ],
)
def test_the_timeout_of_a_group_of_its_own(group: str, limit: str) -> None:
    text = TIMED.format("timedelta(hours=3)") + f"own = {group}\n" + GUARDED.replace("barrier()", "barrier(group=own)")
    [found] = found_in(HEAD + text, CODE)
    assert found.message.endswith(f"at most {limit}")


FIRST_USE = "patient = dist.new_group(timeout=timedelta(hours=2))\n" + GUARDED.replace(
    "barrier()", "barrier(group=patient)"
)
SET_UP_BEFORE = {
    "the group was used": INIT + FIRST_USE.replace("if rank", "dist.barrier(group=patient)\nif rank"),
    "groups of gloo have no set-up": INIT + FIRST_USE.replace("hours=2)", "hours=2), backend='gloo'"),
    "all is gloo": INIT.replace("nccl", "gloo") + FIRST_USE,
    "the device is named": INIT.replace('"nccl"', '"nccl", device_id=x') + FIRST_USE,
    "the backend is not known": INIT.replace('"nccl"', "options.backend") + FIRST_USE,
    "rank 0 waits": INIT + FIRST_USE.replace("rank == 0", "rank == 1"),
    "all groups have the time": TIMED.format("timedelta(hours=2)") + FIRST_USE,
}


def test_a_group_that_is_set_up_by_the_wait() -> None:
    [found] = found_in(HEAD + INIT + FIRST_USE, CODE)
    assert found.message == (
        "Dataset.map on rank 0 while the others wait, at most NCCL's default timeout of 10 minutes, since NCCL sets this "
        "group up with its first operation, and the timeout of 120 minutes counts after it"
    )


HANDED_ON = """\
def slow_group():
    return dist.new_group(timeout=timedelta(hours=2){more})

class Job:
    def __init__(self):
        self.slow = slow_group()

    def prepare(self):
        if rank == 0:
            data.map(tokenize)
        dist.barrier(group=self.slow)

data = load_dataset("text")
Job().prepare()
"""


def test_a_group_that_a_helper_made_and_an_object_keeps() -> None:
    [found] = found_in(HEAD + INIT + HANDED_ON.format(more=""), CODE)
    assert "since NCCL sets this group up with its first operation" in found.message
    assert found_in(HEAD + INIT + HANDED_ON.format(more=", backend='gloo'"), CODE) == []


@pytest.mark.parametrize("name", SET_UP_BEFORE)
def test_a_group_that_is_there_before_the_wait(name: str) -> None:
    assert found_in(HEAD + SET_UP_BEFORE[name], CODE) == []


@pytest.mark.parametrize("behind_a_name", [True, False])
def test_the_timeout_in_a_handler_of_accelerate(behind_a_name: bool) -> None:
    handler = "InitProcessGroupKwargs(timeout=timedelta(minutes={}))"
    text = "accelerator = Accelerator(kwargs_handlers=[" + ("own" if behind_a_name else handler) + "])\n"
    text = (f"own = {handler}\n" if behind_a_name else "") + text + "data = load_dataset('text')\n"
    text += "if accelerator.is_main_process:\n    data.map(tokenize)\naccelerator.wait_for_everyone()\n"
    [found] = found_in(HEAD + text.format(10), CODE)
    assert found.message.endswith("at most the timeout of 10 minutes")
    assert found_in(HEAD + text.format(90), CODE) == []


LIGHTNING = """\
import lightning as L
from lightning.pytorch.strategies import DDPStrategy

class Net(L.LightningModule):
    def on_fit_start(self):
        data = load_dataset("text")
        if self.global_rank == 0:
            data.map(tokenize)
        self.trainer.strategy.barrier()

L.Trainer(strategy={}, devices=4).fit(Net())
"""


@pytest.mark.parametrize(
    ("strategy", "limit"),
    [
        ("'ddp'", "Lightning's default of 30 minutes"),
        ("DDPStrategy(timeout=timedelta(minutes=20))", "the timeout of 20 minutes"),
    ],
)
def test_the_timeout_of_a_strategy_of_lightning(strategy: str, limit: str) -> None:
    [found] = found_in(HEAD + LIGHTNING.format(strategy), CODE)
    assert found.message.endswith(f"at most {limit}")


def test_no_finding_where_the_strategy_waits_for_hours() -> None:
    assert found_in(HEAD + LIGHTNING.format("DDPStrategy(timeout=timedelta(hours=4))"), CODE) == []


BY_SHAPE = {
    "generations": "for prompt in options.prompts:\n        AutoModelForCausalLM.from_pretrained('m').generate(prompt)",
    "a script": "subprocess.run(['python', 'prepare.py'], check=True)",
    "this interpreter": "subprocess.check_call([sys.executable, 'prepare.py'])",
    "a shell": "os.system('bash prepare.sh')",
}
SHAPES = "import os\nimport subprocess\nimport sys\nfrom transformers import AutoModelForCausalLM\n"


@pytest.mark.parametrize("name", BY_SHAPE)
def test_what_may_last_against_a_short_timeout(name: str) -> None:
    text = f"if rank == 0:\n    {BY_SHAPE[name]}\ndist.barrier()\n"
    assert len(found_in(HEAD + SHAPES + TIMED.format("timedelta(minutes=3)") + text, CODE)) == 1
    assert found_in(HEAD + SHAPES + INIT + text, CODE) == []


@pytest.mark.parametrize(
    "line",
    [
        "subprocess.check_output(['git', 'rev-parse', 'HEAD'])",
        "subprocess.run('nvidia-smi')",
        "subprocess.Popen(['python', 'serve.py'])",
        "subprocess.run(options.command)",
        "AutoModelForCausalLM.from_pretrained('m').generate(x)",
    ],
)
def test_what_does_not_last(line: str) -> None:
    text = f"if rank == 0:\n    {line}\ndist.barrier()\n"
    assert found_in(HEAD + SHAPES + TIMED.format("timedelta(minutes=3)") + text, CODE) == []
