"""DDP201 unguarded-save."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import ddplint
from ddplint.analysis.domain.symbols import symbol
from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.rule import Confidence, Safety, Severity
from ddplint.rule.facts import uniformity
from ddplint.source.file import SourceFile
from tests.rules.support import at, findings, fixed, fixed_in, found_in, lines

USUAL = "import json\nimport os\nimport shutil\nimport sys\nout = sys.argv[1]\nmodel = nn.Linear(2, 2)\n"

FIRES = {
    "a folder that may be there is no claim": ("os.makedirs(out, exist_ok=True)\ntorch.save({}, out + '/a.pt')\n"),
    "behind a claim that all go on after": (
        "try:\n    os.mkdir(out)\nexcept FileExistsError:\n    pass\ntorch.save({}, out + '/a.pt')\n"
    ),
    "a claim of each rank": (
        "try:\n    os.mkdir(out + str(rank))\nexcept FileExistsError:\n    pass\nelse:\n    torch.save({}, out + '/a.pt')\n"
    ),
    "behind a folder that some find": (
        "if not os.path.exists(out):\n    os.makedirs(out)\ntorch.save({}, out + '/a.pt')\n"
    ),
    "a file that is changed in place": "file = open(out + '/table.bin', 'r+b')\nfile.write(b'new')\n",
    "rows of a table": "import pandas as pd\npd.DataFrame([1]).to_csv(out + '/a.csv')\n",
    "an archive that is added to": "import zipfile\nzipfile.ZipFile(out + '/all.zip', 'a')\n",
    "torch.save": 'torch.save(model.state_dict(), "model.pt")\n',
    "after asking for other files of the folder": (
        "from pathlib import Path\nroot = Path(out)\nif (root / 'done').is_file():\n    raise SystemExit(0)\n"
        "if not (root / 'options').is_file():\n    raise FileNotFoundError(root)\ntorch.save(model, root / 'model.pt')\n"
    ),
    "below a configured folder": 'torch.save(model.state_dict(), os.path.join(out, "model.pt"))\n',
    "named by the epoch": 'for epoch in range(3):\n    torch.save(model.state_dict(), f"{out}/{epoch}.pt")\n',
    "save_pretrained": "model.save_pretrained(out)\n",
    "safetensors": 'from safetensors.torch import save_file\nsave_file(model.state_dict(), "model.safetensors")\n',
    "json into an open file": 'with open(out + "/log.json", "w") as file:\n    json.dump({}, file)\n',
    "Path.write_text": 'from pathlib import Path\n(Path(out) / "done").write_text("yes")\n',
    "os.makedirs": "os.makedirs(out)\n",
    "named by the rank with an option only": (
        "from settings import cfg\nname = cfg.name\nif cfg.tracked:\n    name = f'{name}-{rank}'\n"
        "torch.save({}, f'{out}/{name}.pt')\n"
    ),
    "the pickle of a job": "from submitit.core.utils import cloudpickle_dump\ncloudpickle_dump({}, out)\n",
    "Path.mkdir": "from pathlib import Path\nPath(out).mkdir(parents=True)\n",
    "rmtree": "shutil.rmtree(out)\n",
    "rename": 'os.replace(out + "/model.tmp", out + "/model.pt")\n',
    "symlink": 'os.symlink(out, "latest")\n',
    "copy": 'shutil.copyfile("a.yaml", out + "/a.yaml")\n',
    "a tracker": "import wandb\nwandb.init(project='x')\n",
    "a tracker in the newest folder": (
        "import glob\nimport wandb\nwandb.init(project='x', dir=sorted(glob.glob(out + '/*'))[-1])\n"
    ),
    "where no folder is in the way": (
        "from pathlib import Path\nfrom settings import cfg\n"
        "name = Path.cwd() / (cfg.root + '/' + cfg.folder + '-' + cfg.model + '-' + cfg.task)\n"
        "file = os.path.join(name, 'train.yaml')\nif os.path.isdir(file):\n    print('in the way')\n"
        "else:\n    torch.save(model, os.path.join(name, 'model.pt'))\n"
    ),
    "in a helper": 'def save(path):\n    torch.save(model.state_dict(), path)\nsave(out + "/model.pt")\n',
    "all but one rank": 'if rank != 0:\n    torch.save(model.state_dict(), "model.pt")\n',
    "two ranks": 'if rank < 2:\n    os.makedirs("out")\n',
    "a name that rank 0 does not share": 'name = "main" if rank == 0 else "other"\ntorch.save(model, f"{name}.pt")\n',
    "a scripted module": 'script = torch.jit.script(model)\nscript.save(out + "/model.pt")\n',
    "a scripted module of unknown making": (
        'from models import build\nscript = torch.jit.script(build())\nscript.save(out + "/model.pt")\n'
    ),
    "a link made by its path": 'from pathlib import Path\n(Path(out) / "latest").symlink_to("step1")\n',
    "beside a file": 'from pathlib import Path\ntorch.save({}, Path(out).with_suffix(".pt"))\n',
    "formatted": 'torch.save({}, "%s/%s-%d.pt" % (out, "model", 3))\n',
    "formatted by braces": 'torch.save({}, "{}/{name}.pt".format(out, name="model"))\n',
    "caught and raised again": "try:\n    os.makedirs(out)\nexcept OSError:\n    print(1)\n    raise\n",
    "another error is caught": "try:\n    os.makedirs(out)\nexcept ValueError:\n    pass\n",
    "another function of that name": "from own import suppress\nwith suppress(OSError):\n    os.remove(out)\n",
    "another error is suppressed": "import contextlib\nwith contextlib.suppress(KeyError):\n    os.remove(out)\n",
    "an error of the writing is caught": "try:\n    torch.save({}, out)\nexcept OSError:\n    pass\n",
    "behind an option of an unknown object": (
        "from settings import Config\ncfg = Config()\nif cfg.dry or cfg.folder is None:\n    sys.exit()\n"
        'torch.save(model, "model.pt")\n'
    ),
    "one of each data-parallel group": (
        "from megatron.core import parallel_state\nif parallel_state.get_data_parallel_rank() == 0:\n"
        "    model.save_pretrained(out)\n"
    ),
    "an upload": "from huggingface_hub import upload_folder\nupload_folder(repo_id='a/b', folder_path=out)\n",
    "a model that goes to the device of each rank": (
        "import clip\nmodel, change = clip.load('ViT-B/32', f'cuda:{rank}')\n"
    ),
    "a model that is downloaded": "import clip\nmodel, change = clip.load('ViT-B/32')\n",
    "a data set that is prepared": "from torch_geometric.datasets import Planetoid\ndata = Planetoid(out, 'Cora')\n",
    "an index of vectors": "import faiss\nfaiss.write_index(model, out + '/a.index')\n",
    "a film": "from diffusers.utils import export_to_video\nexport_to_video([], out + '/a.mp4')\n",
    "a download to the usual folder": "import nltk\nnltk.download('punkt')\n",
    "a push": "model.push_to_hub('a/b')\n",
    "another lock": ("from filelock import FileLock\nwith FileLock(out):\n    print(1)\ntorch.save(model, 'a.pt')\n"),
    "under a uniform condition": 'if len(sys.argv) > 2:\n    torch.save(model, "model.pt")\n',
    "named by the clock": 'import time\ntorch.save(model, f"model-{time.time()}.pt")\n',
}

SILENT = {
    "a folder that claims the work": (
        "try:\n    os.makedirs(out)\nexcept FileExistsError:\n    pass\nelse:\n    torch.save({}, out + '/a.pt')\n"
    ),
    "the same in the body": (
        "try:\n    os.mkdir(out)\n    torch.save({}, out + '/a.pt')\nexcept OSError:\n    print('somebody else does')\n"
    ),
    "who comes too late leaves": (
        "def work():\n    try:\n        os.mkdir(out)\n    except FileExistsError:\n        return\n"
        "    torch.save({}, out + '/a.pt')\nwork()\n"
    ),
    "a file that is the claim": (
        "try:\n    with open(out + '.lock', 'x') as file:\n        file.write('mine')\n"
        "    torch.save({}, out + '/a.pt')\nexcept FileExistsError:\n    pass\n"
    ),
    "a file that is the claim, by its flags": (
        "try:\n    os.close(os.open(out + '.lock', os.O_CREAT | os.O_EXCL | os.O_WRONLY))\n"
        "    torch.save({}, out + '/a.pt')\nexcept FileExistsError:\n    pass\n"
    ),
    "a path that is the claim": (
        "from pathlib import Path\ntry:\n    Path(out).mkdir()\nexcept FileExistsError:\n    pass\n"
        "else:\n    torch.save({}, out + '/a.pt')\n"
    ),
    "a folder that was not there, and is the claim": (
        "def work(path):\n    if os.path.exists(path):\n        return\n    os.makedirs(path)\n"
        "    torch.save({}, path + '/a.pt')\nwork(out)\n"
    ),
    "a claim in a helper": (
        "def claim():\n    try:\n        os.mkdir(out)\n        return True\n    except FileExistsError:\n"
        "        return False\nif claim():\n    torch.save({}, out + '/a.pt')\n"
    ),
    "a file that all add their lines to": "with open(out + '/log.txt', 'a') as file:\n    file.write('x')\n",
    "the same by a mode that reads too": "file = open(out + '/log.txt', mode='a+')\n",
    "values added to an open file": "with open(out + '/log.jsonl', 'a') as file:\n    json.dump({'rank': rank}, file)\n",
    "a path that is added to": "from pathlib import Path\nwith (Path(out) / 'log').open('ab') as file:\n    pass\n",
    "rows that are added": "import pandas as pd\npd.DataFrame([rank]).to_csv(out + '/a.csv', mode='a')\n",
    "one of each data-parallel group of fairseq's, which is the world where no model is split": (
        "from fairseq.distributed import utils\ndist.barrier()\nif utils.get_data_parallel_rank() == 0:\n"
        "    os.unlink(out + '.1')\n    shutil.move(out + '.0', out)\n"
    ),
    "where a search has found none": (
        "from settings import folders\ndef first():\n    for folder in folders:\n"
        "        if os.path.exists(folder):\n            return folder\n    os.makedirs(folder)\nfirst()\n"
    ),
    "the text of a path that was listed": (
        "from pathlib import Path\ndef renamed(name):\n    return name.replace('.pt', '.bin')\n"
        "def load(names):\n    for name in names:\n        print(renamed(name))\n"
        "load([path.as_posix() for path in Path(out).glob('*.pt')])\n"
    ),
    "one of those that want to": (
        "from data import batch\nbetter = False\nif torch.isnan(torch.randn(1).sum()):\n    better = True\n"
        "if better and dist.get_rank() == 0:\n    torch.save(x, out)\n"
    ),
    "a place in an unknown grid": (
        "import sys\ngrid = torch.arange(4).view(int(sys.argv[1]), -1)\n"
        "row, column = (grid == rank).nonzero().flatten().tolist()\nfirst = row == 0 and column == 0\n"
        "if first:\n    torch.save(x, 'm.pt')\n"
    ),
    "on the first device": "if torch.cuda.current_device() == 0:\n    torch.save(x, 'm.pt')\n",
    "told that there is no launcher": (
        "from settings import args\nif args.launcher == 'none':\n    torch.save(model, 'model.pt')\n"
    ),
    "each rank takes its own indices": (
        "for index in range(len(sys.argv)):\n    if index % world != rank:\n        continue\n"
        '    torch.save(model, f"{out}/{index}.pt")\n'
    ),
    "each rank takes its own indices, or the first writes for all": (
        "for index in range(len(sys.argv)):\n    if len(out) > 3 and index % world != rank:\n        continue\n"
        '    if len(out) > 3 or rank == 0:\n        torch.save(model, f"{out}/{index}.pt")\n'
    ),
    "named by the rank where there are several": (
        "from settings import cfg\nname = cfg.name\nif cfg.distributed:\n    name = f'{name}-{rank}'\n"
        "torch.save({}, f'{out}/{name}.pt')\n"
    ),
    "named by the rank where each writes": (
        "from settings import cfg\nname = cfg.name\nif cfg.per_rank:\n    name = f'{name}-{rank}'\n"
        "torch.save({}, f'{out}/{name}.pt')\n"
    ),
    "guarded": 'if rank == 0:\n    torch.save(model, "model.pt")\n',
    "guarded by another name": 'is_main = dist.get_rank() == 0\nif is_main:\n    torch.save(model, "model.pt")\n',
    "guarded in the helper": 'def save():\n    if rank != 0:\n        return\n    torch.save(model, "a.pt")\nsave()\n',
    "the name holds the rank": 'torch.save(model, f"model-{rank}.pt")\n',
    "the folder holds the rank": 'torch.save(model, os.path.join(out, str(rank), "model.pt"))\n',
    "the name holds the local rank": 'local = os.environ["LOCAL_RANK"]\ntorch.save(model, f"{out}/{local}.pt")\n',
    "the name holds a rank in a group": ('mesh = make_mesh()\ntorch.save(model, f"{mesh.get_local_rank()}.pt")\n'),
    "a condition that may be the rank": 'if coordinator.is_master():\n    torch.save(model, "model.pt")\n',
    "exist_ok": "os.makedirs(out, exist_ok=True)\n",
    "moved from a name of its own": "import uuid\nos.replace(out + '/' + uuid.uuid4().hex, out + '/a.pt')\n",
    "moved from a name with the rank": "os.replace(f'{out}/{rank}', out + '/a.pt')\n",
    "a trace that is named after the process": "torch.profiler.tensorboard_trace_handler(out)\n",
    "missing_ok": "from pathlib import Path\nPath(out).unlink(missing_ok=True)\n",
    "ignore_errors": "shutil.rmtree(out, ignore_errors=True)\n",
    "reading": 'with open(out + "/a.json") as file:\n    json.load(file)\n',
    "into memory": "import io\nbuffer = io.BytesIO()\ntorch.save(model, buffer)\n",
    "into nothing": 'with open(os.devnull, "w") as file:\n    print("x", file=file)\n',
    "a temporary folder of its own": (
        'import tempfile\nfolder = tempfile.mkdtemp()\ntorch.save(model, folder + "/model.pt")\n'
    ),
    "is_main_process": "model.save_pretrained(out, is_main_process=rank == 0)\n",
    "accelerator.save": "from accelerate import Accelerator\nAccelerator().save(model.state_dict(), out)\n",
    "saving by contract": (
        "import torch.distributed.checkpoint as dcp\ndcp.save({'model': model.state_dict()}, checkpoint_id=out)\n"
    ),
    "a link of its own": 'from pathlib import Path\n(Path(out) / f"latest{rank}").symlink_to("step1")\n',
    "beside a file of its own": 'from pathlib import Path\ntorch.save({}, Path(f"{out}/{rank}").with_suffix(".pt"))\n',
    "the name is formatted with the rank": 'torch.save({}, "%s/%d.pt" % (out, rank))\n',
    "formatted with the rank alone": 'torch.save({}, "part-%04d.pt" % rank)\n',
    "the rank in a pair of braces": 'torch.save({}, "{}/{{}}{}.pt".format(out, rank))\n',
    "the rank in named braces": 'torch.save({}, "{out}/{rank:02d}.pt".format(out=out, rank=rank))\n',
    "caught": "try:\n    os.makedirs(out)\nexcept OSError:\n    pass\n",
    "caught by its name": "try:\n    os.makedirs(out)\nexcept (ValueError, FileExistsError) as error:\n    print(error)\n",
    "caught around the helper": (
        "def make():\n    os.makedirs(out)\ntry:\n    make()\nexcept FileExistsError:\n    pass\n"
    ),
    "suppressed": "import contextlib\nwith contextlib.suppress(FileNotFoundError):\n    os.remove(out)\n",
    "suppressed under another name": (
        "from contextlib import suppress as quiet\nwith quiet(FileNotFoundError):\n    os.remove(out)\n"
    ),
    "suppressed beside another manager": (
        "from contextlib import suppress\nwith open('x') as f, suppress(OSError):\n    os.mkdir(out)\n"
    ),
    "gone, and caught": "try:\n    os.remove(out)\nexcept FileNotFoundError:\n    pass\n",
    "looked for in a list": (
        "paths = [entry for entry in load()]\nfor i in range(9):\n    if not paths[i].exists():\n"
        "        torch.save({}, paths[i].as_posix())\n"
    ),
    "a handler nobody calls": (
        "def main():\n    dist.barrier()\n    def handler(number, frame):\n"
        '        torch.save(model, "model.pt")\n    signal.signal(2, handler)\nmain()\n'
    ),
    "what a failure leaves": 'try:\n    work()\nexcept ValueError:\n    torch.save(model, "broken.pt")\n',
    "one of each data-parallel group, for each part": (
        "from megatron.core import parallel_state\nif parallel_state.get_data_parallel_rank() == 0:\n"
        "    torch.save(model, f'{out}/{parallel_state.get_tensor_model_parallel_rank()}.pt')\n"
    ),
    "one of all parts": (
        "from megatron.core import parallel_state\nif parallel_state.get_data_parallel_rank() == 0:\n"
        "    if parallel_state.get_tensor_model_parallel_rank() == 0:\n        torch.save(model, 'a.pt')\n"
    ),
    "a model for which the others wait": (
        "import clip\nfrom composer.utils import dist as composer\n"
        "with composer.local_rank_zero_download_and_wait(out):\n    clip.load('ViT-B/32')\n"
    ),
    "another model on each rank": "import clip\nmodel, change = clip.load(['RN50', 'RN101'][rank % 2], device='cuda')\n",
    "a model that rank 0 downloads": "import clip\nif rank == 0:\n    clip.load('ViT-B/32')\n",
    "a data set for each rank": "from torch_geometric.datasets import Planetoid\nPlanetoid(f'{out}/{rank}', 'Cora')\n",
    "a film of each rank": "from diffusers.utils import export_to_video\nexport_to_video([], f'{out}/{rank}.mp4')\n",
    "a download of its own": "import nltk\nnltk.download('punkt', download_dir=f'{out}/{rank}')\n",
    "a page": "import requests\nrequests.get('https://a.b')\n",
    "what a tracker is told": "import wandb\nwandb.log({'loss': 1.0})\n",
    "an upload by one": (
        "from huggingface_hub import upload_folder\nif rank == 0:\n    upload_folder(repo_id='a/b', folder_path=out)\n"
    ),
    "without GPUs": (
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\nif args.gpus == 0:\n"
        "    torch.save(model, out)\n"
    ),
    "a guard in a long condition": (
        "import options\nopt = options.parse()\nfor i in range(3):\n    opt = options.plain(opt, i)\n"
        "    if i % opt['a']['b'] == 0 and opt['c'] + opt['d'] > opt['e'] + i and opt['rank'] == 0:\n"
        "        torch.save(model, 'a.pt')\n"
    ),
    "under a lock": ("from filelock import FileLock\nwith FileLock(out + '.lock'):\n    os.makedirs(out)\n"),
    "under a lock with a name": (
        "from filelock import FileLock\nlock = FileLock(out + '.lock')\nwith lock:\n    os.makedirs(out)\n"
    ),
    "under a lock in a manager": (
        "import contextlib\nfrom filelock import FileLock\n@contextlib.contextmanager\ndef alone():\n"
        "    with FileLock(out + '.lock'):\n        yield\nwith alone():\n    os.makedirs(out)\n"
    ),
    "a lock that was taken": (
        "import fcntl\ndef make():\n    with open(out + '.lock', 'a') as file:\n        fcntl.flock(file, 2)\n"
        "        os.makedirs(out)\nmake()\n"
    ),
    "the number of a file that is locked": (
        "import fcntl\ndef make():\n    with open(out + '.lock', 'a') as file:\n        try:\n"
        "            fcntl.flock(file.fileno(), fcntl.LOCK_EX)\n            os.makedirs(out)\n        finally:\n"
        "            fcntl.flock(file.fileno(), fcntl.LOCK_UN)\nmake()\n"
    ),
    "a tracker for each rank": 'import wandb\nwandb.init(project="x", name=f"rank-{rank}")\n',
    "a tracker in a group": 'import wandb\nwandb.init(project="x", group="ddp")\n',
}

CALLBACK = """
    import torch
    from lightning.pytorch import Callback, LightningModule
    from lightning.pytorch.utilities import rank_zero_only
    class Keep(Callback):
    """

ENTRIES_FIRE = {
    "below a folder of the settings": "torch.save({}, f'{args.out}/model.pt')",
    "named by the epoch": "torch.save({}, f'{args.out}/{epoch}.pt')",
    "a folder of the settings": "os.makedirs(args.out)",
}
ENTRIES_SILENT = {
    "given": "torch.save({}, path)",
    "named by what is given": "torch.save({}, f'{args.out}/{path}.pt')",
    "left to one": "if dist.get_rank() == 0:\n            torch.save({}, f'{args.out}/model.pt')",
}
ENTRY = """
    import os
    import torch
    import torch.distributed as dist
    def train(args, loss, epoch, path):
        dist.all_reduce(loss)
        {}
    """

SCRIPT = """
    import sys
    import torch
    from detectron2.evaluation import inference_on_dataset
    {}
    torch.save(inference_on_dataset(object(), [], None), sys.argv[1])
    """

HOOKS_FIRE = {
    "at the end": "def on_train_end(self, trainer, pl_module):\n    torch.save({}, 'a.pt')\n",
    "below a folder of the trainer": (
        "def on_train_end(self, trainer, pl_module):\n    torch.save({}, f'{trainer.log_dir}/a.pt')\n"
    ),
    "named by the epoch of a loop": (
        "def on_train_epoch_end(self, trainer, pl_module):\n    torch.save({}, f'{trainer.current_epoch}.pt')\n"
    ),
}

HOOKS_SILENT = {
    "asked of the trainer": (
        "def on_train_end(self, trainer, pl_module):\n    if trainer.is_global_zero:\n        torch.save({}, 'a.pt')\n"
    ),
    "left to rank zero": ("@rank_zero_only\ndef on_train_end(self, trainer, pl_module):\n    torch.save({}, 'a.pt')\n"),
    "named by the rank": (
        "def on_train_end(self, trainer, pl_module):\n    torch.save({}, f'{trainer.global_rank}.pt')\n"
    ),
    "named by the batch": (
        "def on_test_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):\n"
        "    torch.save({}, f'{batch[0]}.pt')\n"
    ),
    "not a hook": "def keep(self):\n    torch.save({}, 'a.pt')\n",
    "a hook of something else": (
        "pass\nclass Data(LightningModule):\n    def prepare_data(self):\n        torch.save({}, 'a.pt')\n"
    ),
    "a module's own forward": "pass\nclass M(LightningModule):\n    def forward(self):\n        torch.save({}, 'a')\n",
}

ALONE = {
    "a hook in a file that knows of no ranks": """\
        import torch
        from lightning.pytorch import Callback
        class Keep(Callback):
            def on_train_end(self, trainer, pl_module):
                torch.save({}, "a.pt")
        """,
    "a save that communicates with nobody": """\
        import torch
        import torch.distributed.checkpoint as dcp
        def convert(state):
            dcp.save(state, checkpoint_id="a", no_dist=True)
            torch.save(state, "b.pt")
        """,
    "an annotated path of an unknown caller": """\
        from pathlib import Path
        import torch
        import torch.distributed as dist
        def save(state, path: Path):
            dist.barrier()
            torch.save(state, path.resolve())
        """,
    "no process group": 'import torch\ntorch.save({}, "model.pt")\n',
    "only where it is not distributed": """\
        import sys
        import torch
        import torch.distributed as dist
        parallel = len(sys.argv) > 1
        if parallel:
            dist.init_process_group("gloo")
            rank = dist.get_rank()
            if rank == 0:
                torch.save({}, "model.pt")
        else:
            torch.save({}, "model.pt")
        """,
    "the rank of a single process": """\
        import sys
        import torch
        import torch.distributed as dist
        rank = 0
        if sys.argv[1] == "ddp":
            dist.init_process_group("gloo")
            rank = dist.get_rank()
        if rank == 0:
            torch.save({}, "model.pt")
        """,
    "the parent that spawns": """\
        import os
        import torch.distributed as dist
        import torch.multiprocessing as mp
        def work(rank):
            dist.init_process_group("gloo", rank=rank, world_size=2)
            dist.barrier()
        if __name__ == "__main__":
            os.makedirs("out")
            mp.spawn(work, nprocs=2)
        """,
    "a library function": """\
        import torch
        import torch.distributed as dist
        def meet():
            dist.barrier()
        def save(state, folder):
            torch.save(state, folder + "/model.pt")
        """,
    "a path that was worked out of an unknown caller's": """\
        from pathlib import Path
        import torch
        import torch.distributed as dist
        def save(state, path):
            dist.barrier()
            torch.save(state, Path(path).resolve().with_suffix(".pt"))
        """,
    "another path is left to rank 0": """\
        import torch
        import torch.distributed as dist
        def save(state, shard, path):
            dist.barrier()
            torch.save(shard, path)
            if dist.get_rank() == 0:
                torch.save(state, path + ".index")
        """,
    "a path from an unknown caller": """\
        import torch
        import torch.distributed as dist
        def save(state, path):
            dist.barrier()
            torch.save(state, path)
        """,
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    assert findings(USUAL + program, "DDP201")


GROUPLESS = """\
import torch
import torch.distributed as dist


class Shares(torch.utils.data.Sampler):
    def __init__(self, size):
        self.indices = range(get_rank(), size, get_world_size())


def get_rank():
    return dist.get_rank() if dist.is_initialized() else 0


def get_world_size():
    if not dist.is_available() or not dist.is_initialized():
        return 1
    return dist.get_world_size()


def gathered(value):
    {ask}
    values = [None] * get_world_size()
    dist.all_gather_object(values, value)
    return values


def main():
    {begin}
    loader = torch.utils.data.DataLoader(range(9), sampler=Shares(9))
    torch.save(gathered(len(loader)), "sizes.pt")


if __name__ == "__main__":
    main()
"""
ASK = "if get_world_size() == 1:\n        return [value]"


TURNS = """
import clip
from torch_geometric.datasets import Planetoid
if rank == 0:
    clip.load('RN50', device='cuda')
    data = Planetoid(out, 'Cora')
{between}
if rank != 0:
    clip.load('{name}', device=f'cuda:{{rank}}')
    data = Planetoid(out, 'Cora')
"""


@pytest.mark.parametrize(
    ("between", "name", "count"), [("dist.barrier()", "RN50", 0), ("dist.barrier()", "RN101", 1), ("pass", "RN50", 2)]
)
def test_what_rank_zero_has_downloaded_is_there_for_the_others(between: str, name: str, count: int) -> None:
    assert len(findings(USUAL + TURNS.format(between=between, name=name), "DDP201")) == count


@pytest.mark.parametrize(("waits", "count"), [("rank != 0", 0), ("rank == 1", 1)])
def test_the_others_wait_before_a_download_for_rank_zero(waits: str, count: int) -> None:
    program = (
        f"if {waits}:\n    dist.barrier()\nimport torchvision\ndata = torchvision.datasets.CIFAR10('data', download=True)\n"
        f"if not ({waits}):\n    dist.barrier()\n"
    )
    assert len(findings(USUAL + program, "DDP201")) == count


def test_an_attribute_of_a_wrapped_model_may_say_who_the_rank_is() -> None:
    program = (
        "import torch.nn as nn\nmodel = nn.parallel.DistributedDataParallel(Model())\n"
        "if model.head_pg_rank == 0:\n    torch.save({}, 'head.pt')\n"
    )
    assert findings(USUAL + program, "DDP201") == []


def test_a_script_that_makes_no_group_runs_alone() -> None:
    assert found_in(GROUPLESS.format(ask=ASK, begin="pass"), "DDP201") == []


@pytest.mark.parametrize(("ask", "begin"), [(ASK, "dist.init_process_group('gloo')"), ("pass", "pass")])
def test_a_script_with_a_group_does_not(ask: str, begin: str) -> None:
    assert len(found_in(GROUPLESS.format(ask=ask, begin=begin), "DDP201")) == 1


def test_fires_where_the_path_is_left_to_rank_zero_elsewhere() -> None:
    program = """
        import torch.distributed as dist
        class Trainer:
            def save(self, folder):
                dist.barrier()
                self.model.save_pretrained(folder)
                if dist.get_rank() == 0:
                    self.tokenizer.save_pretrained(folder)
        """
    (finding,) = found_in(textwrap.dedent(program), "DDP201")
    assert finding.place.file.range_of(finding.place.node).start_line == 6


@pytest.mark.parametrize("line", ENTRIES_FIRE.values(), ids=ENTRIES_FIRE)
def test_functions_that_communicate_fire(line: str) -> None:
    assert at(textwrap.dedent(ENTRY.format(line)), "DDP201")


@pytest.mark.parametrize("line", ENTRIES_SILENT.values(), ids=ENTRIES_SILENT)
def test_functions_that_communicate_stay_silent(line: str) -> None:
    assert at(textwrap.dedent(ENTRY.format(line)), "DDP201") == []


@pytest.mark.parametrize(
    ("name", "head", "fires"),
    [("test_save.py", "import pytest", False), ("test_net.py", "import os", True), ("save.py", "import pytest", True)],
)
def test_files_of_a_test_runner(name: str, head: str, fires: bool) -> None:
    text = f"{head}\nimport torch\ntorch.distributed.init_process_group('gloo')\ntorch.save({{}}, 'a.pt')\n"
    report = Checker(Settings(select=("DDP201",))).run([SourceFile(name, text.encode())])
    assert bool(report.findings) is fires


def test_collectives_that_work_alone_are_no_sign_of_many_ranks() -> None:
    assert at(textwrap.dedent(SCRIPT.format("")), "DDP201") == []
    assert at(textwrap.dedent(SCRIPT.format("torch.distributed.init_process_group('gloo')")), "DDP201")


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(USUAL + program, "DDP201") == []


@pytest.mark.parametrize("program", ALONE.values(), ids=ALONE)
def test_stays_silent_where_no_ranks_run_together(program: str) -> None:
    assert found_in(textwrap.dedent(program), "DDP201") == []


def in_callback(method: str) -> str:
    return textwrap.dedent(CALLBACK) + textwrap.indent(method, "    ").replace("    class", "class")


@pytest.mark.parametrize(
    ("trainer", "fires"),
    [
        ("Trainer()", False),
        ("Trainer(devices=4)", True),
        ("Trainer(strategy='ddp')", True),
        ("Trainer(devices=1)", False),
    ],
)
def test_hooks_beside_the_number_of_devices(trainer: str, fires: bool) -> None:
    text = (
        "import torch\nfrom lightning.pytorch import LightningModule, Trainer\n\n\nclass Model(LightningModule):\n"
        f"    def on_test_end(self):\n        torch.save({{}}, 'a.pt')\n\n\ntrainer = {trainer}\n"
    )
    assert bool(at(text, "DDP201")) is fires


@pytest.mark.parametrize("method", HOOKS_FIRE.values(), ids=HOOKS_FIRE)
def test_fires_in_what_a_framework_calls_on_all_ranks(method: str) -> None:
    assert found_in(in_callback(method), "DDP201")


@pytest.mark.parametrize("method", HOOKS_SILENT.values(), ids=HOOKS_SILENT)
def test_stays_silent_in_what_a_framework_calls(method: str) -> None:
    assert found_in(in_callback(method), "DDP201") == []


def test_a_helper_is_judged_as_it_is_called() -> None:
    program = """
        def save(folder):
            torch.save({}, folder + "/model.pt")
        def train(folder):
            if rank == 0:
                save(folder)
        """
    assert findings(program, "DDP201") == []


def test_what_is_told_once_is_not_told_of_the_file_too() -> None:
    program = USUAL + 'with open("log.json", "w") as file:\n    json.dump({}, file)\n'
    assert lines(program, "DDP201") == [7]


@pytest.mark.parametrize(
    ("program", "severity"),
    [
        ('torch.save(model.state_dict(), "model.pt")\n', Severity.WARNING),
        ('torch.save({"rng": torch.get_rng_state(), "rank": rank}, "model.pt")\n', Severity.ERROR),
        ('torch.save(torch.randn(3), f"{rank}.pt" if args.each else "out.pt")\n', Severity.WARNING),
        ("os.makedirs(out)\n", Severity.ERROR),
        ("shutil.rmtree(out)\n", Severity.ERROR),
        ('import logging\nlogging.FileHandler("log.txt")\n', Severity.ADVICE),
    ],
)
def test_severity(program: str, severity: Severity) -> None:
    (finding,) = findings(USUAL + program, "DDP201")
    assert finding.severity is severity


def test_what_all_find_in_one_file_does_not_differ() -> None:
    program = (
        "import os\nfirst = 0\nif os.path.exists('last.pt'):\n    first = 1\ntorch.save({'from': first}, 'm.pt')\n"
    )
    assert [one.severity for one in findings(program, "DDP201")] == [Severity.WARNING]


def test_a_name_from_the_clock_is_less_sure() -> None:
    (finding,) = findings('import time\ntorch.save(x, f"x-{time.time()}.pt")\n', "DDP201")
    assert finding.confidence is Confidence.MEDIUM
    assert "named by the time" in finding.message


@pytest.mark.parametrize(("name", "found"), [("", 1), ("-{random.random()}", 0), ("-{batch['name']}", 0)])
def test_a_name_with_something_of_the_rank_in_it_is_no_name_from_the_clock(name: str, found: int) -> None:
    program = f"""\
        import random
        import time
        from torch.utils.data import DataLoader, DistributedSampler
        from data import Images

        dist.init_process_group("gloo")
        data = Images()
        for batch in DataLoader(data, sampler=DistributedSampler(data)):
            torch.save(batch, f"{{time.time()}}/x{name}.pt")
        """
    assert len(findings(program, "DDP201")) == found


LAUNCHED_INSIDE = """\
import os
import sys
import torch
import torch.distributed as dist
{imported}

def work(config):
    dist.init_process_group("gloo")
    {inside}

def main(config):
    torch.save(config, "config.pt")
    {launch}

main(sys.argv[1])
"""
ELASTIC = "from torch.distributed.launcher.api import LaunchConfig, elastic_launch"


@pytest.mark.parametrize(
    ("imported", "launch", "lines"),
    [
        (ELASTIC, "elastic_launch(LaunchConfig(1, 1, 2), work)(config)", [9]),
        (ELASTIC, "start = elastic_launch(config=LaunchConfig(1, 1, 2), entrypoint=work); start(config)", [9]),
        ("import submitit", "submitit.AutoExecutor(folder='logs').submit(work, config)", [9]),
        ("import elastic", "work(config)", [9, 12]),
    ],
)
def test_what_runs_before_the_ranks_are_started_is_done_once(imported: str, launch: str, lines: list[int]) -> None:
    program = LAUNCHED_INSIDE.format(imported=imported, launch=launch, inside='torch.save(config, "mine.pt")')
    assert [one.place.range.start_line for one in found_in(program, "DDP201")] == lines


def test_fix() -> None:
    before = 'model = nn.Linear(2, 2)\ntorch.save(model.state_dict(), "model.pt")\nprint("saved")\n'
    after = (
        "model = nn.Linear(2, 2)\n"
        "if rank == 0:\n"
        '    torch.save(model.state_dict(), "model.pt")\n'
        "dist.barrier()\n"
        'print("saved")\n'
    )
    (finding,) = findings(before, "DDP201")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE
    assert fixed(before, "DDP201") == after
    assert findings(after, "DDP1", "DDP2") == []


def test_fix_guards_neighbours_together() -> None:
    before = (
        "import json\n"
        "# what is needed to go on\n"
        'torch.save({}, "model.pt")\n'
        'with open("args.json", "w") as file:\n'
        "    json.dump({}, file)\n"
        "dist.barrier()\n"
    )
    after = (
        "import json\n"
        "# what is needed to go on\n"
        "if rank == 0:\n"
        '    torch.save({}, "model.pt")\n'
        '    with open("args.json", "w") as file:\n'
        "        json.dump({}, file)\n"
        "dist.barrier()\n"
        "dist.barrier()\n"
    )
    assert fixed(before, "DDP201") == after


def test_fix_runs_on_one_process_without_a_group() -> None:
    before = """\
import sys
import torch
import torch.distributed as dist

if len(sys.argv) > 1:
    dist.init_process_group("gloo")
torch.save({}, "model.pt")
"""
    after = """\
import sys
import torch
import torch.distributed as dist

if len(sys.argv) > 1:
    dist.init_process_group("gloo")
if not dist.is_initialized() or dist.get_rank() == 0:
    torch.save({}, "model.pt")
if dist.is_available() and dist.is_initialized():
    dist.barrier()
"""
    assert fixed_in(before, "DDP201") == after


def test_fix_uses_the_accelerator() -> None:
    before = """\
from accelerate import Accelerator
import torch

accelerator = Accelerator()
torch.save({}, "model.pt")
"""
    after = """\
from accelerate import Accelerator
import torch

accelerator = Accelerator()
if accelerator.is_main_process:
    torch.save({}, "model.pt")
accelerator.wait_for_everyone()
"""
    assert fixed_in(before, "DDP201") == after


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ('file = open("log.txt", "w")\nprint("x", file=file)\n', "`file` is set here"),
        ('torch.save(dist.all_reduce(x), "model.pt")\n', "every rank must reach"),
        ("if x.item() > 0:\n    torch.save({}, 'best.pt')\n", ""),
        ('if rank != 0:\n    torch.save({}, "model.pt")\n', "let one rank do this"),
    ],
)
def test_where_no_fix_is_offered(program: str, why: str) -> None:
    for finding in findings(program, "DDP201"):
        assert finding.fix is None or not why
        assert why in finding.no_fix


def test_a_helper_called_on_rank_zero_too_gets_no_barrier() -> None:
    program = """
        def save():
            torch.save({}, "model.pt")
        save()
        if rank == 0:
            save()
        """
    assert "barrier" not in fixed(textwrap.dedent(program), "DDP1", "DDP2")


def test_place() -> None:
    text = """\
import torch
import torch.distributed as dist
def save(folder):
    torch.save({}, folder + "/model.pt")
def main():
    dist.init_process_group("gloo")
    save("out")
main()
"""
    assert at(text, "DDP201") == ['torch.save({}, folder + "/model.pt")']


@pytest.mark.parametrize(
    "option",
    [
        "not distributed",
        "not args.use_ddp",
        "mesh is None",
        "args.world_size == 1",
        "args.num_process_per_node == 1",
        "not (distributed or args.multi_gpu)",
        "not (args.cpu or args.world_size > 1)",
    ],
)
def test_stays_silent_where_the_run_is_not_parallel(option: str) -> None:
    program = f"""\
        def save(folder, args, mesh=None, distributed=False):
            dist.barrier()
            if {option}:
                torch.save(x, folder + "/model.pt")
        """
    assert findings(program, "DDP201") == []


@pytest.mark.parametrize(
    "option",
    [
        "distributed",
        "args.distributed.use is True",
        "args.distributed == 'on'",
        "not (args.device == 'cpu' or args.dist.gpus == 0)",
        "not (args.dist.gpus <= 1 or args.debug)",
    ],
)
def test_fires_where_it_is_parallel(option: str) -> None:
    program = f"""\
        def save(folder, args, distributed=False):
            dist.barrier()
            if {option}:
                torch.save(x, folder + "/model.pt")
        """
    assert len(findings(program, "DDP201")) == 1


IOPATH = """\
import torch.distributed as dist
{imported}
dist.init_process_group("gloo")
{use}
"""


@pytest.mark.parametrize(
    "imported",
    [
        "from iopath.common.file_io import PathManager\npaths = PathManager()",
        "from iopath.common.file_io import g_pathmgr as paths",
        "from fvcore.common.file_io import PathManager as paths",
    ],
)
def test_files_of_a_path_manager(imported: str) -> None:
    opened = 'with paths.open("a.json", "w") as file:\n    file.write("")\n'
    assert at(IOPATH.format(imported=imported, use=opened), "DDP201") == ['with paths.open("a.json", "w") as file:']
    tested = 'if not paths.exists("a"):\n    paths.copy("b", "a")\n'
    assert at(IOPATH.format(imported=imported, use=tested), "DDP201", "DDP205") == ['paths.copy("b", "a")']
    fine = 'with paths.open("a.json") as file:\n    file.read()\npaths.mkdirs("run")\n'
    assert at(IOPATH.format(imported=imported, use=fine), "DDP201", "DDP205") == []


SINKS = """\
import os, sys
import torch.distributed as dist
from loguru import logger
from tokenizers import Tokenizer
import sentencepiece
dist.init_process_group("gloo")
rank, out = dist.get_rank(), os.environ["OUT"]
"""


@pytest.mark.parametrize(
    "line",
    [
        'logger.add(out + "/log.txt")',
        'Tokenizer.from_file("a.json").save(out + "/b.json")',
        'sentencepiece.SentencePieceTrainer.train(input="a", model_prefix=out + "/m")',
    ],
)
def test_what_else_writes(line: str) -> None:
    assert at(SINKS + line + "\n", "DDP201") == [line]


@pytest.mark.parametrize(
    "line",
    [
        "logger.add(sys.stderr)",
        "logger.add(lambda text: print(text))",
        'logger.add(f"{out}/log-{rank}.txt")',
        'Tokenizer.from_file("a.json").encode("a")',
    ],
)
def test_what_else_does_not(line: str) -> None:
    assert at(SINKS + line + "\n", "DDP201") == []


UNSURE = """\
import os
import torch
import torch.distributed as dist
from settings import numbers

dist.init_process_group("gloo")
if dist.get_rank() != numbers[dist.get_rank()]:
    LEAVE
torch.save({}, "a.pt")
"""


def test_a_check_of_who_the_process_is_does_not_leave_one_rank() -> None:
    text = UNSURE.replace("LEAVE", 'raise ValueError("wrong number")')
    assert at(text, "DDP201") == ['torch.save({}, "a.pt")']


def test_who_goes_on_is_not_known_where_the_others_leave_in_peace() -> None:
    assert at(UNSURE.replace("LEAVE", "quit()"), "DDP201") == []


KEEPER = """\
class Keeper:
    def __init__(self, place):
        self.place = place

    def save(self):
        if {test}:
            torch.save({{}}, self.place)

    def drop(self{own}):
        dist.barrier()
        shutil.rmtree({what})
"""


@pytest.mark.parametrize(
    ("test", "own", "what", "found"),
    [
        ("dist.get_rank() == 0", "", "self.place", 1),
        ("self.place", "", "self.place", 0),
        ("dist.get_rank() == 0", ", place", "place", 0),
    ],
    ids=["rank 0 fills it", "all fill it", "another place of that name"],
)
def test_a_place_of_the_object_that_rank_0_fills_is_not_the_ranks_own(
    test: str, own: str, what: str, found: int
) -> None:
    text = "import shutil\nimport torch\nimport torch.distributed as dist\n\n"
    removals = [
        one
        for one in findings(text + KEEPER.format(test=test, own=own, what=what), "DDP201")
        if "rmtree" in one.message
    ]
    assert len(removals) == found


NAMED_BY_BATCH = """
def test(cfg, loader):
    dist.barrier()
    place = os.path.join(cfg.save_path, "result", "epoch{{}}".format(cfg.epoch))
    for batch in loader:
        name = {name}
        np.savetxt(os.path.join(place, "submit", "{{}}.txt".format(name)), batch[1])
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("name", "found"), [("batch[0].pop('name')", 0), ("batch[0]['scene']['name'].split('/')[-1]", 0), ("cfg.name", 1)]
)
def test_a_long_path_may_be_named_by_the_batch_of_a_rank(name: str, found: int) -> None:
    text = "import os\nimport numpy as np\nimport torch.distributed as dist\n" + NAMED_BY_BATCH.format(name=name)
    assert len(at(text, "DDP201")) == found


BEGUN = """\
import os
import torch
from accelerate import Accelerator
from tqdm import tqdm


class Model:
    def __init__(self, model):
        {made}
        self.model = self.accelerator.prepare(model)

    @property
    def rank(self):
        return self.accelerator.process_index

    def generate(self, requests):
        {shown}
        for one in requests:
            {kept}
"""
OWN, SHOWN = "self.accelerator = Accelerator()", "bar = tqdm(requests, disable=self.rank != 0)"
GIVEN = "from helpers import accelerator\n        self.accelerator = accelerator"


@pytest.mark.parametrize(
    ("made", "shown", "kept", "found"),
    [
        (OWN, SHOWN, "torch.save({}, 'out.pt')", 1),
        (OWN, SHOWN, "torch.save({}, f'out_{self.rank}.pt')", 0),
        (OWN, SHOWN, "torch.save({}, one)", 0),
        (OWN, "bar = tqdm(requests)", "torch.save({}, 'out.pt')", 0),
        (GIVEN, SHOWN, "torch.save({}, 'out.pt')", 0),
        (OWN, SHOWN + "\n        if self.rank != 0:\n            return", "torch.save({}, 'out.pt')", 0),
    ],
)
def test_a_method_that_knows_its_rank_of_an_object_that_began_the_run(
    made: str, shown: str, kept: str, found: int
) -> None:
    assert len(at(BEGUN.format(made=made, shown=shown, kept=kept), "DDP201")) == found


SET_LATER = """\
class Keeper:
    def __init__(self):
        self.place = None

    def begin(self, out):
        dist.barrier()
        made = {made}
        if dist.get_rank() == 0:
            self.place = made

    def end(self):
        dist.barrier()
        if self.place is not None:
            shutil.rmtree({what})
"""


@pytest.mark.parametrize(
    ("what", "found"), [("self.place", 0), ("self.place + '/old'", 1)], ids=["the folder itself", "a name below it"]
)
def test_what_another_method_sets_may_be_set_on_one_rank_alone(what: str, found: int) -> None:
    text = "import shutil\nimport torch\nimport torch.distributed as dist\n\n"
    assert len(at(text + SET_LATER.format(made="out", what=what), "DDP201")) == found


def test_what_was_too_large_to_keep_still_says_who_is_meant() -> None:
    asked = symbol("attr", symbol("parameter", "args"), "should_save")
    for count in range(200):
        asked = symbol("and", asked, symbol("attr", symbol("parameter", "args"), f"option{count}"))
        if asked.structure[0] == "big":
            break
    assert asked.structure[0] == "big"
    assert uniformity.is_about_ranks(symbol("not", asked))
    assert not uniformity.is_about_ranks(symbol("not", symbol("attr", symbol("parameter", "args"), "option")))


EXPORT = """\
import shutil
from pathlib import Path
import lightning.pytorch as pl


class Export(pl.Callback):
    def __init__(self, folder="exports"):
        self.folder = Path(folder)

    def on_save_checkpoint(self, trainer, pl_module, checkpoint):
        kept = self.folder / f"step_{trainer.global_step}"
        shutil.copytree("assets", kept)
"""


@pytest.mark.parametrize(
    ("beside", "packed", "found"),
    [
        ("def log(trainer):\n    if trainer.is_global_zero:\n        print(1)\n", True, 1),
        (
            "from lightning.pytorch.utilities import rank_zero_only\n\n@rank_zero_only\ndef log():\n    print(1)\n",
            True,
            1,
        ),
        ("def log(trainer):\n    if trainer.is_global_zero:\n        print(1)\n", False, 0),
        ("def decompose(matrix, rank):\n    return matrix[:rank]\n", True, 0),
    ],
    ids=["asks for the first rank", "decorates", "another script", "another rank"],
)
def test_a_hook_in_a_package_that_speaks_of_ranks(beside: str, packed: bool, found: int, tmp_path: Path) -> None:
    (tmp_path / "export.py").write_text(EXPORT)
    (tmp_path / "logs.py").write_text(beside)
    if packed:
        (tmp_path / "__init__.py").write_text("")
    told = ddplint.check([tmp_path / "export.py"], select=["DDP201"]).findings
    assert len(told) == found


SIGNALLED = """\
import os
import signal
import torch
import torch.distributed as dist


def main(model, out):
    dist.init_process_group("nccl")
    rank = dist.get_rank()

    def handler(number, frame):
        {guard}
        torch.save(model.state_dict(), os.path.join(out, "last.pt"))
        os._exit(0)

    {register}
    dist.barrier()


{call}
"""
MAIN_BLOCK = "if __name__ == '__main__':\n    main(torch.nn.Linear(1, 1), 'out')\n"


@pytest.mark.parametrize("call", ["", MAIN_BLOCK], ids=["library", "script"])
@pytest.mark.parametrize(
    ("guard", "register", "found"),
    [
        ("pass", "signal.signal(signal.SIGTERM, handler)", 1),
        ("if rank != 0: return", "signal.signal(signal.SIGTERM, handler)", 0),
        ("pass", "register(handler)", 0),
    ],
)
def test_every_rank_runs_what_handles_a_signal(guard: str, register: str, found: int, call: str) -> None:
    assert len(found_in(SIGNALLED.format(guard=guard, register=register, call=call), "DDP201")) == found


FETCHED = """
import os
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

@contextmanager
def first(rank):
    if rank != 0:
        dist.barrier()
    yield
    if rank == 0:
        dist.barrier()

def unpacked(archive, folders):
    {test}
        Path(archive).write_bytes(urlopen("http://x").read())
        Path(archive).unlink()
    return folders

with {manager}:
    unpacked("data.zip", [Path("train"), Path("val")])
dist.destroy_process_group()
"""


def test_what_the_first_rank_has_fetched_the_others_find() -> None:
    missing = "if not all(folder.exists() for folder in folders):"
    assert findings(FETCHED.format(test=missing, manager="first(rank)"), "DDP201", "DDP205") == []
    assert findings(FETCHED.format(test=missing, manager="torch.no_grad()"), "DDP201", "DDP205") != []
    assert findings(FETCHED.format(test="if folders:", manager="first(rank)"), "DDP201", "DDP205") != []


SHOWN = """
import os
import time
import matplotlib.pyplot as plt
from torch.utils.data import DataLoader, DistributedSampler

folder = time.strftime("%Y%m%d-%H%M%S")
for batch in DataLoader(load(), sampler=DistributedSampler(load())):
    plt.imsave(os.path.join(folder, {name} + "_shown.jpg"), batch["image"])
"""


def test_pictures_that_are_named_after_what_they_show() -> None:
    assert findings(SHOWN.format(name="batch['name'][0]"), "DDP201") == []
    assert len(findings(SHOWN.format(name="'last'"), "DDP201")) == 1


STARTED = """
import os
from lightning.pytorch import Trainer
{before}
os.makedirs("out/index")
trainer = Trainer(devices=4, strategy="ddp")
trainer.fit(model())
"""


def test_what_one_process_does_before_a_framework_starts_the_others() -> None:
    assert [one.severity for one in found_in(STARTED.format(before=""), "DDP201")] == [Severity.WARNING]
    met = "import torch.distributed as dist\ndist.init_process_group('gloo')\nrank = dist.get_rank()"
    assert [one.severity for one in found_in(STARTED.format(before=met), "DDP201")] == [Severity.ERROR]


def test_a_hub_that_is_a_folder_is_not_fetched() -> None:
    program = "import torch\nmodel = torch.hub.load('./', 'resnet', source='{source}')\n"
    assert findings(program.format(source="local"), "DDP201") == []
    assert len(findings(program.format(source="github"), "DDP201")) == 1


KEPT = """\
import os
import shutil
from transformers import TrainerCallback


class Keep(TrainerCallback):
    def on_save(self, args, state, control, **kwargs):
        folder = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
        shutil.copy(os.path.join(folder, "adapter.bin"), os.path.join(folder, "model.bin"))
"""


@pytest.mark.parametrize(
    ("user", "found"),
    [
        ("import os\nfrom keep import Keep\n\nmany = int(os.environ.get('WORLD_SIZE', 1))\nKeep()\n", 1),
        ("from keep import Keep\n\nKeep()\n", 0),
        ("import os\n\nmany = int(os.environ.get('WORLD_SIZE', 1))\n", 0),
    ],
    ids=["a user that knows of ranks", "a user that does not", "another file that does"],
)
def test_a_hook_whose_user_knows_of_ranks(user: str, found: int, tmp_path: Path) -> None:
    (tmp_path / "keep.py").write_text(KEPT)
    (tmp_path / "main.py").write_text(user)
    assert len(ddplint.check([tmp_path / "keep.py"], select=["DDP201"]).findings) == found


@pytest.mark.parametrize(
    ("guard", "found"), [("True", 1), ("trainer.args.should_save", 0)], ids=["every rank", "who should save"]
)
def test_the_save_of_a_trainer_that_asks_nothing(guard: str, found: int) -> None:
    text = f"""\
import torch.distributed as dist
from transformers import Trainer

trainer = Trainer(model=None)
dist.barrier()
if {guard}:
    trainer._save("out")
"""
    assert len(found_in(text, "DDP201")) == found


NAMED = """\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from names import path_of

def main(options, dataset):
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    for batch in DataLoader(dataset, sampler=DistributedSampler(dataset)):
        names = batch["name"] if "name" in batch else [None] * len(batch["x"])
        for x, name in zip(batch["x"], names):
            torch.save({"rank": rank}, {path})
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("path_of(options.folder, name=name)", 0),
        ("path_of(options.folder, name)", 0),
        ("path_of(options.folder, number=rank)", 0),
        ("path_of(options.folder, number=3)", 1),
        ("path_of(options.folder)", 1),
    ],
)
def test_a_path_from_elsewhere_that_was_told_what_the_rank_has(path: str, found: int) -> None:
    assert len(found_in(NAMED.replace("{path}", path), "DDP201")) == found


def test_a_model_that_only_one_rank_has_loaded_says_nothing_of_the_path() -> None:
    text = """\
import torch
import torch.distributed as dist
from models import Model, prepared

def main(options):
    dist.init_process_group("nccl")
    model = Model()
    if options.low_memory:
        model = Model() if dist.get_rank() == 0 else None
    model = prepared(model)
    if model.done:
        torch.save({"step": 1}, "model.pt")
"""
    assert len(found_in(text, "DDP201")) == 1


SPAWNED = """\
import argparse
import shutil
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def run(rank, world_size, args):
    if world_size > 1:
        dist.init_process_group("gloo", rank=rank, world_size=world_size)
    shutil.copyfile("last.pt", "best.pt")

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--world-size", type=int, default=1)
    args = parser.parse_args()
    CHECK
    if args.world_size > 1:
        mp.spawn(run, args=(args.world_size, args), nprocs=args.world_size)
    else:
        run(0, 1, args)

main()
"""


@pytest.mark.parametrize("check", ["assert args.world_size >= 1", "assert 0 < args.world_size", "pass"])
def test_a_check_of_the_count_of_processes_says_nothing_of_how_many(check: str) -> None:
    assert at(SPAWNED.replace("CHECK", check), "DDP201") == ['shutil.copyfile("last.pt", "best.pt")']


@pytest.mark.parametrize("check", ["assert args.world_size < 2", "assert args.world_size <= 1"])
def test_a_check_that_there_is_but_one_does(check: str) -> None:
    assert at(SPAWNED.replace("CHECK", check), "DDP201") == []


CHECKPOINTS = """\
import torch
import torch.distributed as dist

class Checkpoints:
    def __init__(self, folder):
        self.path = folder + "/final.pt"

    def restore(self, model):
        MEETS
        model.load_state_dict(torch.load(self.path))

    def finish(self, model):
        torch.save(model.state_dict(), self.path)
"""


def test_a_method_of_an_object_that_every_rank_has() -> None:
    """Whoever meets in one method has the object, and nobody is seen to call the other on one rank alone."""
    told = at(CHECKPOINTS.replace("MEETS", "dist.barrier()"), "DDP201")
    assert told == ["torch.save(model.state_dict(), self.path)"]
    assert at(CHECKPOINTS.replace("MEETS", "print(self.path)"), "DDP201") == []
    decorated = CHECKPOINTS.replace("MEETS", "dist.barrier()").replace(
        "    def finish", "    @first_only\n    def finish"
    )
    assert at(f"from elsewhere import first_only\n{decorated}", "DDP201") == []
    guarded = CHECKPOINTS.replace("MEETS", "dist.barrier()") + (
        "\nif __name__ == '__main__':\n    dist.init_process_group('gloo')\n    checkpoints = Checkpoints('run')\n"
        "    checkpoints.restore(model)\n    if dist.get_rank() == 0:\n        checkpoints.finish(model)\n"
    )
    assert at(guarded, "DDP201") == []


@pytest.mark.parametrize(
    "check",
    [
        "assert args.batch_size % args.world_size == 0",
        "assert args.batch_size // args.world_size != 0",
        "if args.recall < 0.98:\n                print(args.parallel)",
    ],
)
def test_what_has_to_do_with_the_number_of_ranks_does_not_say_that_there_is_one(check: str) -> None:
    program = f"""\
        def save(folder, args):
            dist.barrier()
            {check}
            torch.save(x, folder + "/model.pt")
        """
    assert len(findings(program, "DDP201")) == 1


CHECKED = """\
import torch
import torch.distributed as dist
from settings import options

dist.init_process_group("nccl")
start = options[dist.get_rank()]
if start:
    epoch = start.epoch
    {check}
torch.save({{}}, "init.pt")
"""


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ('assert epoch > 0, "nothing to resume"', 1),
        ('if epoch < 0:\n        raise ValueError("nothing to resume")', 1),
        ("if epoch < 0:\n        quit()", 0),
    ],
    ids=["assert", "raise", "quit"],
)
def test_who_fails_a_check_does_not_leave_the_others_to_it(check: str, found: int) -> None:
    assert len(found_in(CHECKED.format(check=check), "DDP201")) == found


RESUMED = """\
import argparse
from pathlib import Path
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--folder", type=Path)
args = parser.parse_args()
dist.init_process_group("nccl")
if {asked}:
    start = torch.load(args.folder / "last.pth")["epoch"]
    {then}
else:
    start = 0
for epoch in range(start, 9):
    torch.save({{"epoch": epoch}}, args.folder / "last.pth")
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("asked", "then", "found"),
    [
        ('(args.folder / "last.pth").is_file()', "pass", 1),
        ('(args.folder / "last.pth").exists()', "pass", 1),
        ('(args.folder / "last.pth").exists()', 'raise ValueError("it is there")', 0),
    ],
    ids=["resumed", "asked otherwise", "refused"],
)
def test_who_goes_on_from_the_last_checkpoint_does_not_ask_for_leave(asked: str, then: str, found: int) -> None:
    assert len(found_in(RESUMED.format(asked=asked, then=then), "DDP201")) == found


@pytest.mark.parametrize("meetings", [3, 60])
def test_what_was_agreed_after_many_meetings_is_about_nobody(meetings: int) -> None:
    program = """\
        best = torch.zeros(1)
        for number in range(MEETINGS):
            dist.barrier()
            dist.all_reduce(best)
        if best > 3:
            torch.save({}, "best.pt")
        """
    repeated = "\n".join(["        dist.all_reduce(best)"] * meetings)
    program = program.replace(
        "        for number in range(MEETINGS):\n            dist.barrier()\n            dist.all_reduce(best)",
        repeated,
    )
    assert len(findings(program, "DDP201")) == 1


def test_the_length_of_a_prepared_loader_is_about_nobody() -> None:
    text = """\
import torch
from accelerate import Accelerator
from learning import net, optimizer, data

accelerator = Accelerator()
loader = torch.utils.data.DataLoader(data)
net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
for number, batch in enumerate(loader):
    accelerator.backward(net(batch).sum())
    if (number + 1) % (len(loader) // 2) == 0:
        torch.save({}, "last.pt")
"""
    assert at(text, "DDP201") == ['torch.save({}, "last.pt")']


BEFORE = """\
import json, os, sys
import torch.distributed as dist
from pathlib import Path
out = sys.argv[1]
{before}
dist.init_process_group("nccl")
{after}
dist.barrier()
"""


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("with open(out + '/main.log', 'w') as file:\n    pass", False),
        ("open(out + '/main.log', 'w').close()", False),
        ("with open(out + '/main.csv', 'w') as file:\n    file.write('step,loss\\n')", False),
        ("Path(out, 'main.csv').write_text('step,loss')", False),
        ("with open(out + '/main.csv', 'w') as file:\n    file.write(str(os.getpid()))", True),
        ("file = open(out + '/main.log', 'w')", True),
        ("with open(out + '/a.json', 'w') as file:\n    json.dump(vars(settings), file)", True),
    ],
)
def test_a_file_is_left_alike_before_the_group_is_made(line: str, found: bool) -> None:
    """Behind the call that makes the group, another rank may have written to it already."""
    assert bool(found_in(BEFORE.format(before=line, after=""), "DDP201")) is found
    assert found_in(BEFORE.format(before="", after=line), "DDP201")


HOOKS = """
import torch
from torch.distributed.checkpoint import FileSystemWriter, DefaultSavePlanner
from torch.distributed.checkpoint.storage import StorageReader

class Hooks({base}):
    def {method}(self, *args):
        torch.save({{}}, '/out/latest.pt')
"""


@pytest.mark.parametrize(
    ("base", "method", "found"),
    [
        ("FileSystemWriter", "finish", False),
        ("FileSystemWriter", "prepare_global_plan", False),
        ("DefaultSavePlanner", "create_global_plan", False),
        ("StorageReader", "prepare_global_plan", False),
        ("FileSystemWriter", "write_data", True),
        ("FileSystemWriter", "prepare_local_plan", True),
        ("DefaultSavePlanner", "create_local_plan", True),
        ("DefaultSavePlanner", "finish_plan", True),
    ],
)
def test_hooks_of_a_distributed_checkpoint(base: str, method: str, found: bool) -> None:
    """What all plans and results are put together for is the coordinator's alone."""
    assert bool(found_in(HOOKS.format(base=base, method=method), "DDP201")) is found
