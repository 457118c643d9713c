"""DDP401 init-without-timeout."""

import textwrap

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, fixed_in, found_in, walks_of

CODE = "DDP401"


def test_default_timeout_is_advice() -> None:
    [found] = found_in('import torch.distributed as dist\ndist.init_process_group("nccl")\n', CODE)
    assert found.severity is Severity.ADVICE
    assert found.message == "init_process_group without a timeout: NCCL's default of 10 minutes applies"


def test_work_that_the_others_were_seen_to_wait_for_makes_it_a_warning_that_names_it() -> None:
    [found] = found_in(
        "import torch.distributed as dist\n"
        "from datasets import Dataset\n"
        "def main(dataset: Dataset, tokenize):\n"
        '    dist.init_process_group("nccl")\n'
        "    if dist.get_rank() == 0:\n"
        "        dataset = dataset.map(tokenize)\n"
        "    dist.barrier()\n",
        CODE,
    )
    assert found.severity is Severity.WARNING
    assert found.message.endswith("10 minutes applies, and the others wait while Dataset.map runs on rank 0")
    assert [(note.place.range.start_line, note.text) for note in found.notes] == [(6, "the others wait for this")]


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ('"nccl"', "10 minutes applies"),
        ('"gloo"', "30 minutes applies"),
        ("", "30 minutes applies"),
        ('"cpu:gloo,cuda:nccl"', "30 minutes applies"),
        ("backend=CHOSEN", "10 minutes for backend nccl and 30"),
    ],
)
def test_the_default_that_applies(backend: str, said: str) -> None:
    [found] = found_in(f"import torch.distributed as dist\ndist.init_process_group({backend})\n", CODE)
    assert said in found.message


@pytest.mark.parametrize(
    "call",
    [
        'import torch\ntorch.distributed.init_process_group("nccl")',
        'from torch.distributed import init_process_group as init\ninit("nccl")',
        'from torch import distributed\ndistributed.init_process_group("nccl", "env://")',
    ],
)
def test_under_any_name(call: str) -> None:
    assert len(found_in(call + "\n", CODE)) == 1


def test_behind_a_test_that_a_walk_takes_to_be_false() -> None:
    program = """\
        import torch.distributed as dist

        def setup():
            if not dist.is_initialized():
                dist.init_process_group("nccl")
        """
    assert at(textwrap.dedent(program), CODE) == ['dist.init_process_group("nccl")']


def test_new_group_does_not_inherit() -> None:
    program = """\
        import torch.distributed as dist
        from datetime import timedelta

        dist.init_process_group("nccl", timeout=timedelta(hours=2))
        group = dist.new_group([0, 1])
        """
    assert at(textwrap.dedent(program), CODE) == ["group = dist.new_group([0, 1])"]


@pytest.mark.parametrize(
    "program",
    [
        'dist.init_process_group("nccl", timeout=timedelta(minutes=5))',
        'dist.init_process_group("nccl", "env://", timedelta(minutes=5))',
        "dist.init_process_group(**options)",
        "dist.init_process_group(*options)",
        "dist.init_process_group(backend, timeout=limit)",
        'dist.init_process_group("nccl", timeout=timedelta(1)); dist.new_group([0], timeout=timedelta(2))',
        "dist.new_group([0])",
        "dist.destroy_process_group()",
        'deepspeed.init_distributed(dist_backend="nccl")',
        "deepspeed.init_distributed(timeout=timedelta(minutes=5))",
        "deepspeed.init_distributed(timeout=limit)",
        "deepspeed.init_distributed('gloo', timeout=timedelta(seconds=5))",
        "deepspeed.init_distributed(timeout=timedelta(1)); dist.new_group([0], timeout=timedelta(2))",
        "setup = partial(dist.init_process_group, timeout=timedelta(hours=1))",
        "client.init_process_group('nccl')",
        "def init_process_group(backend): ...\ninit_process_group('nccl')",
        "rpc.init_rpc('worker0', rank=0, world_size=2)",
    ],
)
def test_silent(program: str) -> None:
    head = """\
import deepspeed
import torch.distributed as dist
import torch.distributed.rpc as rpc
from datetime import timedelta
from functools import partial
from somewhere import backend, client, limit, options
"""
    assert found_in(head + program + "\n", CODE) == []


@pytest.mark.parametrize("given", ["timeout=timedelta(seconds=60)", "None, True, 29500, True, timedelta(minutes=2)"])
def test_a_short_timeout_of_a_group_that_a_framework_makes(given: str) -> None:
    program = f"import deepspeed\nfrom datetime import timedelta\n\ndeepspeed.init_distributed({given})\n"
    assert at(program, CODE) == [f"deepspeed.init_distributed({given})"]


def test_fix_adds_argument_and_import() -> None:
    before = """\
        import os
        import torch.distributed as dist

        dist.init_process_group(
            backend="nccl",
            init_method="env://",
        )
        """
    assert fixed_in(textwrap.dedent(before), CODE) == (
        "import os\n"
        "from datetime import timedelta\n"
        "import torch.distributed as dist\n"
        "\n"
        "dist.init_process_group(\n"
        '    backend="nccl",\n'
        '    init_method="env://",\n'
        "    timeout=timedelta(minutes=30),\n"
        ")\n"
    )


def test_fix_uses_the_import_that_is_there() -> None:
    before = "import datetime\nimport torch.distributed as dist\n\ndist.init_process_group('nccl')\n"
    assert fixed_in(before, CODE).endswith("dist.init_process_group('nccl', timeout=datetime.timedelta(minutes=30))\n")


def test_fix_reads_an_environment_variable_where_asked() -> None:
    from ddplint.fixing.edit.apply import apply_edits, rewritten
    from ddplint_rules.runtime.ddp401_init_without_timeout import InitWithoutTimeout

    seen = walks_of("import torch.distributed as dist\n\ndist.init_process_group('nccl')\n")
    [found] = InitWithoutTimeout({"env": "DDP_TIMEOUT_MINUTES", "minutes": 45}).check_file(seen)
    assert found.fix is not None
    text = rewritten(seen[0].file.text, seen[0].file.module, apply_edits(seen[0].file.module, found.fix.edits))
    assert "timeout=timedelta(minutes=int(os.environ.get('DDP_TIMEOUT_MINUTES', '45')))" in text
    assert "import os\n" in text


SHORT = """\
import torch.distributed as dist
from datetime import timedelta

dist.init_process_group("nccl", timeout={timeout})
"""


@pytest.mark.parametrize(
    ("timeout", "said"),
    [
        ("timedelta(seconds=10)", ["a timeout of 10 seconds"]),
        ("timedelta(seconds=100)", ["a timeout of 100 seconds"]),
        ("timedelta(minutes=2)", ["a timeout of 2 minutes"]),
        ("timedelta(minutes=5)", []),
        ("timedelta(0, 1800)", []),
        ("timedelta(seconds=limit)", []),
    ],
)
def test_short_timeouts(timeout: str, said: list[str]) -> None:
    told = [one.message.partition(" for all")[0] for one in found_in(SHORT.format(timeout=timeout), CODE)]
    assert told == said


ACCELERATOR = """\
from datetime import timedelta
import torch
from accelerate import Accelerator, InitProcessGroupKwargs

accelerator = Accelerator({given})
if {test}:
    torch.save({{}}, "a.pt")
accelerator.wait_for_everyone()
"""


@pytest.mark.parametrize(
    ("given", "test", "found"),
    [
        ("", "accelerator.is_main_process", 1),
        ("log_with='wandb'", "accelerator.process_index == 0", 1),
        ("", "True", 0),
        ("**options", "accelerator.is_main_process", 0),
        ("kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(hours=1))]", "accelerator.is_main_process", 0),
    ],
)
def test_the_default_of_accelerate(given: str, test: str, found: int) -> None:
    text = ACCELERATOR.format(given=given, test=test)
    assert [one.severity for one in found_in(text, CODE)] == [Severity.ADVICE] * found


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ('dict(backend="gloo", rank=0)', 1),
        ('{"backend": "gloo"}', 1),
        ('dict(backend="gloo", timeout=given)', 0),
        ("read()", 0),
    ],
)
def test_options_that_the_walk_has_seen(options: str, found: int) -> None:
    text = f"import torch.distributed as dist\nfrom own import given, read\noptions = {options}\n"
    assert len(found_in(text + "dist.init_process_group(world_size=2, **options)\n", CODE)) == found
