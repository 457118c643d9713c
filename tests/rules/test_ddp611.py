"""DDP611 asked-of-wrapper: what has no wrapper, what asks first, and what the wrapper has itself."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

NET = """\
import os, torch, torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from settings import args

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.width = nn.Linear(1, 1), 3

    def forward(self, x):
        return self.layer(x)

    def generate(self, x):
        return x

    @property
    def size(self):
        return 3

"""
START = "dist.init_process_group('nccl')\ntorch.cuda.set_device(int(os.environ['LOCAL_RANK']))\n"
ALWAYS = f"{START}model = DDP(Net().cuda())\n"


def _where(test: str) -> str:
    return f"model = Net()\nif {test}:\n{textwrap.indent(START, '    ')}    model = DDP(model.cuda())\n"


FLAG, SEVERAL = _where("args.distributed"), _where("int(os.environ.get('RANK', -1)) != -1")

FAULTY = {
    "an attribute of the object": ALWAYS + "print(model.width)",
    "a method of its class": ALWAYS + "model.generate(1)",
    "a property": ALWAYS + "print(model.size)",
    "a layer": ALWAYS + "print(model.layer.weight)",
    "wrapped by an option": FLAG + "print(model.width)",
    "wrapped where there are several": SEVERAL + "if args.log:\n    print(model.width)",
    "on the first rank": ALWAYS + "if dist.get_rank() == 0:\n    model.generate(1)",
    "in a helper": ALWAYS + "def show(net):\n    return net.width\nshow(model)",
    "in another method": (
        f"class Trainer:\n    def __init__(self):\n{textwrap.indent(START, ' ' * 8)}        self.net = DDP(Net().cuda())\n"
        "    def run(self):\n        for _ in range(3):\n            print(self.net.width)\nTrainer().run()"
    ),
    "a model that nobody sees": START + "from models import build\nmodel = DDP(build().cuda())\nprint(model.config)",
    "a try that takes nothing": (
        f"def main():\n{textwrap.indent(ALWAYS, '    ')}    try:\n        print(model.width)\n"
        "    finally:\n        dist.destroy_process_group()\nmain()"
    ),
    "started here": (
        "import torch.multiprocessing as mp\ndef run(rank, world):\n"
        "    dist.init_process_group('nccl', rank=rank, world_size=world)\n    model = Net()\n"
        "    if world > 1:\n        model = DDP(model.cuda())\n    print(model.generate(1))\nmp.spawn(run, (2,), 2)"
    ),
}
QUIET = {
    "asked for first": ALWAYS + "if hasattr(model, 'width'):\n    print(model.width)",
    "asked for in a choice": ALWAYS + "print(model.width if hasattr(model, 'width') else 0)",
    "asked for before an and": ALWAYS + "print(hasattr(model, 'width') and model.width > 2)",
    "asked for, and left": (
        ALWAYS
        + "def of(net):\n    if not hasattr(net, 'width'):\n        return 0\n    return net.width\nprint(of(model))"
    ),
    "with another answer": ALWAYS + "print(getattr(model, 'width', 3), getattr(model, 'size', 3))",
    "unwrapped": ALWAYS + "print(model.module.width, getattr(model, 'module', model).width)",
    "unwrapped where it has one": (
        ALWAYS
        + "def of(net):\n    while hasattr(net, 'module'):\n        net = net.module\n    return net.width\nof(model)"
    ),
    "unwrapped by its class": (
        ALWAYS + "def of(net):\n    return net.module.width if isinstance(net, DDP) else net.width\nof(model)"
    ),
    "unwrapped by the name of its class": (
        ALWAYS + "def of(net):\n    if type(net).__name__ == 'DistributedDataParallel':\n"
        "        return net.module.width\n    return net.width\nof(model)"
    ),
    "under the other answer": FLAG
    + "if args.distributed:\n    print(model.module.width)\nelse:\n    print(model.width)",
    "under another question": FLAG + "if args.n_gpu > 1:\n    print(model.module.width)\nelse:\n    print(model.width)",
    "where there is no group": FLAG + "if not dist.is_initialized():\n    print(model.width)",
    "on one process": SEVERAL + "if int(os.environ.get('RANK', -1)) == -1:\n    print(model.width)",
    "the model as it was": "bare = Net()\n" + FLAG.replace("model = Net()", "model = bare") + "print(bare.width)",
    "set on the wrapper": ALWAYS + "model.width = model.module.width\nprint(model.width)",
    "set in a helper": ALWAYS + "def tag(net):\n    net.width = 3\ntag(model)\nprint(model.width)",
    "set by a library": ALWAYS + "from tools import tag\ntag(model)\nprint(model.epoch)",
    "set under any name": (
        ALWAYS
        + "for name in ('width', 'size'):\n    setattr(model, name, getattr(model.module, name))\nprint(model.width)"
    ),
    "a class that passes it on": (
        "class Passing(DDP):\n    def __getattr__(self, name):\n        try:\n            return super().__getattr__(name)\n"
        "        except AttributeError:\n            return getattr(self.module, name)\n"
        + ALWAYS.replace("= DDP(", "= Passing(")
        + "print(model.width)"
    ),
    "a class that has it": (
        "class Having(DDP):\n    def generate(self, x):\n        return self.module.generate(x)\n"
        + ALWAYS.replace("= DDP(", "= Having(")
        + "print(model.generate(1))"
    ),
    "a wrapper that passes it on": (
        "from torch.distributed.fsdp import FullyShardedDataParallel\n"
        + ALWAYS.replace("= DDP(", "= FullyShardedDataParallel(")
        + "print(model.width)"
    ),
    "for another wrapper, by its name": (
        START + "from models import build\ndef wrap(model):\n    if args.engine == 'ddp':\n"
        "        model = DDP(model.cuda())\n    elif args.engine == 'deepspeed':\n        import deepspeed\n"
        "        model, _, _, _ = deepspeed.initialize(model=model)\n    return model\n"
        "def save(net, info):\n    if info['engine'] == 'deepspeed':\n        net.save_checkpoint('x')\n"
        "from settings import info\nsave(wrap(build()), info)"
    ),
    "the error is taken": ALWAYS
    + "try:\n    print(model.width)\nexcept AttributeError:\n    print(model.module.width)",
    "the error is taken outside": (
        ALWAYS + "def of(net):\n    return net.width\ntry:\n    of(model)\nexcept AttributeError:\n    pass"
    ),
    "what the wrapper has": ALWAYS
    + "print(model.device, model.training, model.device_ids, model.parameters, model.__class__)",
    "another one of a list": START
    + "models = [DDP(Net().cuda()), Net()]\nfor one in models[1:]:\n    print(one.width)",
}

PREPARED = """\
from accelerate import Accelerator, {handler}
accelerator = Accelerator(kwargs_handlers=[{handler}({given})])
model = accelerator.prepare(Net())
"""
FOR_DDP = PREPARED.format(handler="DistributedDataParallelKwargs", given="find_unused_parameters=True")
FAULTY |= {
    "prepared, with the settings of the wrapper": FOR_DDP + "print(model.width)",
    "prepared with others": FOR_DDP.replace(
        "model = accelerator.prepare(Net())", "model, rest = accelerator.prepare(Net(), [1])"
    )
    + "model.generate(1)",
    "settings with a name": (
        "from accelerate import Accelerator\nfrom accelerate.utils import DistributedDataParallelKwargs\n"
        "def start():\n    handler = DistributedDataParallelKwargs(static_graph=True)\n"
        "    return Accelerator(mixed_precision='bf16', kwargs_handlers=[handler])\n"
        "accelerator = start()\nmodel = accelerator.prepare(Net())\nprint(model.size)"
    ),
}
QUIET |= {
    "prepared, for any wrapper": (
        "from accelerate import Accelerator\naccelerator = Accelerator()\nmodel = accelerator.prepare(Net())\nprint(model.width)"
    ),
    "prepared, with other settings": PREPARED.format(handler="InitProcessGroupKwargs", given="") + "print(model.width)",
    "prepared, and unwrapped": FOR_DDP + "print(accelerator.unwrap_model(model).width)",
    "prepared, and unwrapped under its name": FOR_DDP + "model = accelerator.unwrap_model(model)\nprint(model.width)",
    "prepared in a run of one process": FOR_DDP + "if accelerator.num_processes == 1:\n    print(model.width)",
    "prepared, where another wrapper may be": FOR_DDP
    + "if accelerator.state.deepspeed_plugin is not None:\n    print(2)\nprint(model.width)",
    "prepared, with settings by an option": FOR_DDP.replace("[Dis", "[] if args.plain else [Dis")
    + "print(model.width)",
    "prepared, and asked for first": FOR_DDP + "if hasattr(model, 'width'):\n    print(model.width)",
}


@pytest.mark.parametrize("name", FAULTY)
def test_found(name: str) -> None:
    assert len(found_in(NET + FAULTY[name], "DDP611")) == 1


@pytest.mark.parametrize("name", QUIET)
def test_quiet(name: str) -> None:
    assert found_in(NET + QUIET[name], "DDP611") == []


def test_the_same_of_one_wrapper_is_said_once() -> None:
    (finding,) = found_in(NET + ALWAYS + "print(model.width)\nfor _ in range(3):\n    print(model.width + 1)", "DDP611")
    assert [note.text for note in finding.notes].count("the same") == 1
