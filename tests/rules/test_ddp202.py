"""DDP202 guarded-collective-save."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import findings, fixed, fixed_in, found_in

SHARDED = """\
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, StateDictType, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
model = nn.Linear(8, 8)
everything = StateDictOptions(full_state_dict=True, cpu_offload=True)
"""

MADE = "from hydra.utils import instantiate\nfrom settings import cfg\ntrainer{} = instantiate(cfg.trainer)\n"
ASKED = "trainer.fit(model)\nif trainer.is_global_zero:\n    trainer.save_checkpoint('a')\ntrainer.strategy.barrier()\n"

BRAIN = """\
import speechbrain as sb
class ASR(sb.Brain):
    def on_stage_end(self, stage, stage_loss, epoch=None):
        {}:
            self.checkpointer.save_and_keep_only(meta={{}}, min_keys=["loss"])
"""

FIRES = {
    "what a factory made, as it is used": "import lightning as L\n" + MADE.format("") + ASKED,
    "what a factory made, in a helper": (
        "import pytorch_lightning as pl\n" + MADE.format("") + "def save(trainer):\n    trainer.save_checkpoint('a')\n"
        "trainer.test(model)\nif trainer.is_global_zero:\n    save(trainer)\n"
    ),
    "what a factory made, as it is annotated": (
        "from lightning.pytorch import Trainer\n"
        + MADE.format(": Trainer")
        + "if rank == 0:\n    trainer.save_checkpoint('a')\n"
    ),
    "distributed checkpoint": "if rank == 0:\n    dcp.save({'model': x}, checkpoint_id='out')\n",
    "full state dict": (
        "fully_shard(model)\nif rank == 0:\n    state = get_model_state_dict(model, options=everything)\n"
    ),
    "full state dict of a model from elsewhere": (
        "def save(model):\n    if rank == 0:\n        return get_model_state_dict(model, options=everything)\n"
    ),
    "FSDP state_dict": "model = FSDP(model)\nif rank == 0:\n    torch.save(model.state_dict(), 'model.pt')\n",
    "FSDP state_dict of a model from elsewhere": (
        "def save(model):\n    if rank == 0:\n"
        "        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):\n"
        "            return model.state_dict()\n"
    ),
    "FSDP state_dict of a part, asked for as shards": (
        "class Trainer:\n    def save(self):\n"
        "        with FSDP.state_dict_type(self.model, StateDictType.SHARDED_STATE_DICT):\n"
        "            if rank == 0:\n                torch.save(self.model.state_dict(), 'model.pt')\n"
    ),
    "FSDP optimizer state": "model = FSDP(model)\nif rank == 0:\n    FSDP.optim_state_dict(model, model)\n",
    "sharded optimizer": (
        "optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)\n"
        "if rank == 0:\n    optimizer.consolidate_state_dict(to=0)\n"
    ),
    "DeepSpeed": (
        "import deepspeed\nengine, *_ = deepspeed.initialize(model=model)\n"
        "if rank == 0:\n    engine.save_checkpoint('out')\n"
    ),
    "Lightning": (
        "from lightning.pytorch import Trainer\ntrainer = Trainer()\nif rank == 0:\n    trainer.save_checkpoint('a')\n"
    ),
    "Lightning, made of options": (
        "from pytorch_lightning import Trainer\ntrainer = Trainer.from_argparse_args(options)\n"
        "if trainer.global_rank == 0:\n    trainer.save_checkpoint('a')\n"
    ),
    "in a hook of Lightning's": (
        "from pytorch_lightning import Callback\nclass Setup(Callback):\n"
        "    def on_exception(self, trainer, pl_module, exception):\n        if trainer.global_rank == 0:\n"
        "            trainer.save_checkpoint('last.ckpt')\n"
    ),
    "in a hook of SpeechBrain's": BRAIN.format("if sb.utils.distributed.if_main_process()"),
    "behind an early return": (
        "def save():\n    if rank != 0:\n        return\n    dcp.save({'model': x}, checkpoint_id='out')\nsave()\n"
    ),
    "one of two ways to wrap": (
        "import sys\nmodel = FSDP(model) if len(sys.argv) > 1 else DDP(model)\n"
        "if rank == 0:\n    torch.save(model.state_dict(), 'model.pt')\n"
    ),
}

SILENT = {
    "a trainer of another kind": MADE.format("") + ASKED,
    "a trainer of which nothing is told": (
        "import lightning as L\n" + MADE.format("") + "trainer.fit(model)\n"
        "if rank == 0:\n    trainer.save_checkpoint('a')\n"
    ),
    "a strategy, which guards itself": (
        "import lightning as L\nfrom settings import strategy, trainer\ntrainer.fit(model)\n"
        "if strategy.is_global_zero:\n    strategy.save_checkpoint({}, 'a')\n"
    ),
    "what a factory made, on every rank": (
        "import lightning as L\n" + MADE.format("") + "trainer.fit(model)\ntrainer.save_checkpoint('a')\n"
        "if trainer.is_global_zero:\n    print('saved')\ntrainer.strategy.barrier()\n"
    ),
    "a hook that nobody calls any more": (
        "from pytorch_lightning import Callback\nclass Setup(Callback):\n"
        "    def on_keyboard_interrupt(self, trainer, pl_module):\n        if trainer.global_rank == 0:\n"
        "            trainer.save_checkpoint('last.ckpt')\n"
    ),
    "in a hook of SpeechBrain's, on every rank": BRAIN.format("if stage == sb.Stage.VALID"),
    "on every rank": "dcp.save({'model': x}, checkpoint_id='out')\n",
    "gathered by all, written by one": (
        "fully_shard(model)\nstate = get_model_state_dict(model, options=everything)\n"
        "if rank == 0:\n    torch.save(state, 'model.pt')\n"
    ),
    "FSDP gathered by all": "model = FSDP(model)\nstate = model.state_dict()\nif rank == 0:\n    print(len(state))\n",
    "FSDP gathered by all, of a model from elsewhere": (
        "def save(model):\n    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):\n"
        "        state = model.state_dict()\n    if rank == 0:\n        torch.save(state, 'model.pt')\n"
    ),
    "FSDP of another model": (
        "def save(model, teacher):\n    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):\n"
        "        if rank == 0:\n            torch.save(teacher.state_dict(), 'teacher.pt')\n"
    ),
    "a model from elsewhere, of which nothing is told": (
        "def save(model):\n    if rank == 0:\n        torch.save(model.state_dict(), 'model.pt')\n"
    ),
    "without other ranks": "if rank == 0:\n    dcp.save({'model': x}, checkpoint_id='out', no_dist=True)\n",
    "DDP state_dict": "model = DDP(model)\nif rank == 0:\n    torch.save(model.state_dict(), 'model.pt')\n",
    "DDP through module": "model = DDP(model)\nif rank == 0:\n    torch.save(model.module.state_dict(), 'model.pt')\n",
    "full state dict of a DDP model": (
        "model = DDP(model)\nif rank == 0:\n    state = get_model_state_dict(model, options=everything)\n"
    ),
    "both branches": (
        "if rank == 0:\n    dcp.save({'model': x}, checkpoint_id='a')\n"
        "else:\n    dcp.save({'model': x}, checkpoint_id='a')\n"
    ),
    "under a uniform condition": (
        "import sys\nif len(sys.argv) > 1:\n    dcp.save({'model': x}, checkpoint_id='out')\n"
    ),
    "a plain module": "if rank == 0:\n    torch.save(model.state_dict(), 'model.pt')\n",
    "save_pretrained": "if rank == 0:\n    model.save_pretrained('out')\n",
    "a sharded state that stays in memory": "fully_shard(model)\nif rank == 0:\n    print(len(model.state_dict()))\n",
    "every rank writes its shard": "fully_shard(model)\ntorch.save(model.state_dict(), f'model-{rank}.pt')\n",
}

ACCELERATE = """\
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from torch import nn

accelerator = Accelerator({arguments})
model = accelerator.prepare(nn.Linear(2, 2))
if accelerator.is_main_process:
    accelerator.{call}
accelerator.wait_for_everyone()
"""


def accelerate(call: str, arguments: str = "") -> str:
    return ACCELERATE.format(call=call, arguments=arguments)


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    found = findings(SHARDED + program, "DDP202")
    assert [finding.severity for finding in found] == [Severity.ERROR]


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(SHARDED + program, "DDP202") == []


@pytest.mark.parametrize(
    ("call", "arguments", "severity"),
    [
        ("save_state('out')", "", Severity.WARNING),
        ("save_state(output_dir='out')", "", Severity.WARNING),
        ("save_state('out')", "fsdp_plugin=FullyShardedDataParallelPlugin()", Severity.ERROR),
        ("save_state('out')", "fsdp_plugin=FullyShardedDataParallelPlugin() if wanted else None", Severity.WARNING),
        ("save_state()", "", Severity.ERROR),
        ("get_state_dict(model)", "fsdp_plugin=FullyShardedDataParallelPlugin()", Severity.ERROR),
    ],
)
def test_accelerate(call: str, arguments: str, severity: Severity) -> None:
    (finding,) = found_in(accelerate(call, arguments), "DDP202")
    assert finding.severity is severity


@pytest.mark.parametrize("call", ["save_model(model, 'out')", "get_state_dict(model)", "save({}, 'a.pt')"])
def test_accelerate_saves_that_one_rank_may_make(call: str) -> None:
    assert found_in(accelerate(call), "DDP2") == []


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("accelerator.is_main_process", 1),
        ("accelerator.distributed_type == DistributedType.DEEPSPEED or accelerator.is_main_process", 0),
        ("accelerator.is_main_process or accelerator.distributed_type in (DistributedType.FSDP,)", 0),
    ],
)
def test_a_guard_that_lets_all_ranks_in_where_the_model_is_split(test: str, found: int) -> None:
    """Only the random states of the other ranks are lost then: low confidence. `load_state` goes on without."""
    program = LAUNCHED.format(extra="", test=test)
    program = program.replace("state = accelerator.get_state_dict(model)", "accelerator.save_state('a')")
    assert len(found_in("from models import build\n" + program, "DDP202")) == found


LAUNCHED = """\
from accelerate import Accelerator
from accelerate.utils import DistributedType
{extra}
accelerator = Accelerator()
model = accelerator.prepare(build())
if {test}:
    state = accelerator.get_state_dict(model)
"""


@pytest.mark.parametrize(
    ("extra", "test", "found"),
    [
        ("# with deepspeed, or without", "accelerator.is_main_process", 1),
        ("zero_stage = 3", "accelerator.process_index == 0", 1),
        ("", "accelerator.is_main_process", 0),
        ("# with deepspeed, or without", "True", 0),
        ("assert not accelerator.fsdp, 'FSDP is not supported'", "accelerator.is_main_process", 0),
        ("", "accelerator.is_main_process and accelerator.distributed_type != DistributedType.FSDP", 0),
        ("from options import deepspeed", "not deepspeed and accelerator.is_main_process", 0),
        ("from options import fsdp", "accelerator.is_main_process and (state if fsdp else None)", 0),
    ],
)
def test_what_the_launcher_may_shard(extra: str, test: str, found: int) -> None:
    program = "from models import build\n" + LAUNCHED.format(extra=extra, test=test)
    told = found_in(program, "DDP202")
    assert [one.severity for one in told] == [Severity.WARNING] * found


@pytest.mark.parametrize(
    ("made", "saved", "found"),
    [
        ("average = copy.deepcopy(model)\nmodel = accelerator.prepare(model)", "average", 0),
        ("average = copy.deepcopy(model)\nmodel = accelerator.prepare(model)", "model", 1),
        ("model = accelerator.prepare(model)\naverage = copy.deepcopy(model)", "average", 1),
        ("average = copy.deepcopy(model)\naverage = accelerator.prepare(average)", "average", 1),
        ("average = copy.copy(model)\nmodel = accelerator.prepare(model)", "average", 1),
        ("average = build()\naverage.load_state_dict(model.state_dict())", "average", 1),
    ],
)
def test_a_copy_that_was_made_before(made: str, saved: str, found: int) -> None:
    program = f"""\
import copy
from accelerate import Accelerator
from models import build
# with deepspeed, or without
accelerator = Accelerator()
model = build()
{made}
if accelerator.is_main_process:
    accelerator.save_model({saved}, "out")
"""
    assert len(found_in(program, "DDP202")) == found


def test_what_ranks_gather_that_parted_before() -> None:
    program = """\
from accelerate import Accelerator
from models import build
# with deepspeed, or without
accelerator = Accelerator()
model = accelerator.prepare(build())
def save(where):
    state = accelerator.get_state_dict(model)
if accelerator.is_main_process:
    save("a")
else:
    save("b")
"""
    assert found_in(program, "DDP202") == []


@pytest.mark.parametrize(
    ("options", "found"), [("", 0), ("fsdp='full_shard'", 1), ("deepspeed='zero3.json'", 1), ("fsdp=''", 0)]
)
def test_trainer(options: str, found: int) -> None:
    program = f"""\
from transformers import Trainer, TrainingArguments
trainer = Trainer(model=None, args=TrainingArguments({options}))
if trainer.is_world_process_zero():
    trainer.save_model("out")
trainer.train()
"""
    assert len(found_in(program, "DDP202")) == found


def test_the_shard_of_one_rank() -> None:
    program = SHARDED + "fully_shard(model)\nif rank == 0:\n    torch.save({'model': model.state_dict()}, 'model.pt')\n"
    (finding,) = findings(program, "DDP202")
    assert "one shard of every weight" in finding.message
    assert finding.fix is None


def test_fix_leaves_the_rest_guarded() -> None:
    before = SHARDED + (
        "fully_shard(model)\n"
        "if rank == 0:\n"
        "    state = get_model_state_dict(model, options=everything)\n"
        '    torch.save(state, "model.pt")\n'
    )
    after = SHARDED + (
        "fully_shard(model)\n"
        "state = get_model_state_dict(model, options=everything)\n"
        "if rank == 0:\n"
        '    torch.save(state, "model.pt")\n'
    )
    (finding,) = findings(before, "DDP202")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE
    assert fixed(before, "DDP202") == after


def test_fix_where_nothing_else_is_guarded() -> None:
    before = accelerate("save_state('out')")
    after = before.replace("if accelerator.is_main_process:\n    accelerator.save_state", "accelerator.save_state")
    assert fixed_in(before, "DDP202") == after


NAMED = """\
import os
from accelerate import Accelerator
from learning import loader, net, optimizer, criterion, settings

accelerator = Accelerator()
net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
start = 0
if settings.resume:
    start = int(os.listdir("out")[-1].split("-")[1])
for epoch in range(settings.epochs):
    total = 0.0
    for batch in loader:
        loss = criterion(net(batch), batch)
        accelerator.backward(loss)
        total += {loss}
if accelerator.is_main_process:
    accelerator.save_state({folder})
"""


@pytest.mark.parametrize(
    ("loss", "folder", "safety"),
    [
        ("loss.item()", "'out'", Safety.SAFE),
        ("loss.item()", "os.path.join(settings.out, f'epoch-{epoch}')", Safety.SAFE),
        ("accelerator.reduce(loss.detach()).item()", "'out-{:.6f}'.format(total)", Safety.SAFE),
        ("loss.item()", "'out/epoch-{:04d}'.format(start)", Safety.UNSAFE),
        ("loss.item()", "'out-{:.6f}'.format(loss.item())", None),
        ("loss.item()", "f'out-{accelerator.process_index}'", None),
        ("loss.item()", "output_dir='out-' + str(loss.item())", None),
        ("loss.item()", "'out-' + format(total, '.4f')", None),
    ],
)
def test_a_save_under_a_name_that_each_rank_has_for_itself_is_not_moved(
    loss: str, folder: str, safety: Safety | None
) -> None:
    (finding,) = found_in(NAMED.format(loss=loss, folder=folder), "DDP202")
    assert (finding.fix.safety if finding.fix is not None else None) is safety
    assert (safety is None) == ("agree on the name" in finding.no_fix)


def test_a_helper_that_does_more_is_not_moved() -> None:
    program = SHARDED + textwrap.dedent(
        """
        model = FSDP(model)
        def save():
            state = model.state_dict()
            torch.save(state, "model.pt")
        if rank == 0:
            save()
        """
    )
    (finding,) = findings(program, "DDP202")
    assert finding.fix is None
    assert "does more than communicate" in finding.no_fix


def test_the_rank_that_an_engine_knows() -> None:
    program = "import deepspeed\nengine, *_ = deepspeed.initialize(model=nn.Linear(2, 2))\nif engine.{}_rank == 0:\n"
    assert findings(program.format("global") + "    engine.save_checkpoint('out')\n", "DDP202")
    assert not findings(program.format("global") + "    torch.save({}, 'a.pt')\n", "DDP201", "DDP204")
    assert findings(program.format("local") + "    torch.save({}, '/data/a.pt')\n", "DDP204")


TRAINED = """\
import torch.distributed as dist
from transformers import Trainer
{extra}

class OwnTrainer(Trainer):
    pass

def keep(trainer, folder):
    if {test}:
        trainer.save_model(folder)

def main(model, args):
    trainer = OwnTrainer(model=model, args=args)
    trainer.train()
    keep(trainer, args.output_dir)
"""


@pytest.mark.parametrize(
    ("extra", "test", "found"),
    [
        ("from deepspeed import zero", "trainer.args.should_save", 1),
        ("from deepspeed import zero", "dist.get_rank() == 0", 1),
        ("", "trainer.args.should_save", 0),
        ("from deepspeed import zero", "True", 0),
        ("from deepspeed import zero", "not trainer.is_deepspeed_enabled and trainer.args.should_save", 0),
    ],
)
def test_what_a_trainer_may_have_to_gather(extra: str, test: str, found: int) -> None:
    told = found_in(TRAINED.format(extra=extra, test=test), "DDP202")
    assert [one.severity for one in told] == [Severity.WARNING] * found
