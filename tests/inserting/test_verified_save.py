"""``--insert verified-save``: which saves are rewritten, and how the other ranks get to know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ddplint.cli.main import main
from tests.inserting.support import inserted

NAME = "verified-save"
START = """\
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
model = torch.nn.Linear(1, 1)

"""
CALL = 'save_verified(lambda target: torch.save(model.state_dict(), target), "m.pt")'
SAVE = 'torch.save(model.state_dict(), "m.pt")'


def after(program: str, folder: Path, *, code: int = 0) -> str:
    """The program as it is then, without its head and the function that was put in."""
    text = inserted(NAME, START + program, folder, code=code)
    rest = text.partition("model = torch.nn.Linear(1, 1)\n")[2]
    return re.sub(r"\n*def save_verified.*? from cause\n+", "\n", rest, flags=re.DOTALL).strip("\n") + "\n"


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        (f"if rank == 0:\n    {SAVE}\n", f"if rank == 0:\n    {CALL}\nelse:\n    save_verified()\n"),
        (f"if rank == 0: {SAVE}\n", f"if rank == 0: {CALL}\nelse:\n    save_verified()\n"),
        (
            f"if rank != 0:\n    print(rank)\nelse:\n    {SAVE}\n",
            f"if rank != 0:\n    save_verified()\n    print(rank)\nelse:\n    {CALL}\n",
        ),
        (
            f"if rank == 0:\n    {SAVE}\nelse:\n    print(rank)\n",
            f"if rank == 0:\n    {CALL}\nelse:\n    save_verified()\n    print(rank)\n",
        ),
        (
            f"if rank == 0:  # one writes\n    # the weights\n    print(1); {SAVE}  # all of them\ndist.barrier()\n",
            f"if rank == 0:  # one writes\n    # the weights\n    print(1); {CALL}  # all of them\nelse:\n    save_verified()\ndist.barrier()\n",
        ),
        (f"{SAVE}\n", f"{CALL}\n"),
    ],
    ids=["if", "one line", "else", "both", "comments", "every rank"],
)
def test_rank_0_saves_and_the_others_hear(before: str, wanted: str, tmp_path: Path) -> None:
    assert after(before, tmp_path) == wanted


def test_what_all_ranks_know_is_asked_again(tmp_path: Path) -> None:
    before = f"for epoch in range(9):\n    if epoch % 2 == 0 and rank == 0:\n        {SAVE}\n"
    call = CALL[:-1] + ", epoch=epoch)"
    wanted = f"for epoch in range(9):\n    if epoch % 2 == 0 and rank == 0:\n        {call}\n    elif epoch % 2 == 0:\n        save_verified()\n"
    assert after(before, tmp_path) == wanted


@pytest.mark.parametrize(
    ("guard", "others"),
    [
        (
            "if rank == 0:\n        {}\n        if epoch % 2 == 0:\n            {}",
            "    elif epoch % 2 == 0:\n        save_verified()\n",
        ),
        (
            "if rank == 0:\n        {}\n        if epoch % 2 == 0:\n            {}\n    else:\n        print(epoch)",
            "    else:\n        if epoch % 2 == 0:\n            save_verified()\n        print(epoch)\n",
        ),
    ],
)
def test_further_conditions_are_asked_by_all(guard: str, others: str, tmp_path: Path) -> None:
    before = f"for epoch in range(9):\n    {guard.format('print(epoch)', SAVE)}\n"
    assert after(before, tmp_path).endswith(others)


def test_names_that_only_rank_0_has_are_used_there_only(tmp_path: Path) -> None:
    before = 'if rank == 0:\n    state = model.state_dict()\n    path = "m.pt"\n    torch.save(state, f=path)\n'
    wanted = (
        'if rank == 0:\n    state = model.state_dict()\n    path = "m.pt"\n'
        "    save_verified(lambda target: torch.save(state, f=target), path)\nelse:\n    save_verified()\n"
    )
    assert after(before, tmp_path) == wanted


def test_an_early_return_and_a_guard_around_the_call(tmp_path: Path) -> None:
    before = f"def late():\n    if rank != 0:\n        return\n    {SAVE}\n\n\ndef store(path):\n    torch.save(model, path)\n\n\nlate()\nif rank == 0:\n    store('a')\n"
    wanted = (
        f"def late():\n    if rank != 0:\n        save_verified()\n        return\n    {CALL}\n\n\n"
        "def store(path):\n    save_verified(lambda target: torch.save(model, target), path)\n\n\nlate()\n"
        "if rank == 0:\n    store('a')\nelse:\n    save_verified()\n"
    )
    assert after(before, tmp_path) == wanted


def test_a_trainer_that_communicates_and_raises_elsewhere_is_no_verified_save(tmp_path: Path) -> None:
    before = f"def store():\n    {SAVE}\n\n\ndef train():\n    if rank == 0:\n        store()\n    dist.barrier()\n    if rank > 3:\n        raise ValueError\n\n\ntrain()\n"
    assert CALL in after(before, tmp_path)


def test_a_failure_that_is_agreed_on_already_is_left_alone(tmp_path: Path) -> None:
    before = (
        "failed = torch.zeros(1)\nif rank == 0:\n    try:\n        torch.save(model.state_dict(), 'm.pt')\n    except OSError:\n"
        "        failed += 1\ndist.all_reduce(failed)\nif failed:\n    raise RuntimeError('no checkpoint')\n"
    )
    assert after(before, tmp_path) == before


def test_two_saves_are_told_twice(tmp_path: Path) -> None:
    before = f"if rank == 0:\n    {SAVE}\n    torch.save(1, 'two.pt')\n"
    text = after(before, tmp_path)
    assert text.endswith("else:\n    save_verified()\n    save_verified()\n")
    assert "save_verified(lambda target: torch.save(1, target), 'two.pt')" in text


def test_a_model_folder_and_safetensors(tmp_path: Path) -> None:
    head = "from safetensors.torch import save_file\nfrom transformers import AutoModel\nnet = AutoModel.from_pretrained('x')\n"
    before = f"{head}if rank == 0:\n    net.save_pretrained('out')\n    save_file(net.state_dict(), filename='a.safetensors')\n"
    text = after(before, tmp_path)
    assert "save_verified(lambda target: net.save_pretrained(target), 'out')" in text
    assert "save_verified(lambda target: save_file(net.state_dict(), filename=target), 'a.safetensors')" in text


@pytest.mark.parametrize(
    "program",
    [
        "torch.save(model.state_dict(), f'{rank}.pt')\n",
        "if rank == 0:\n    with open('m.json', 'w') as file:\n        file.write('1')\n",
        "import io\nbuffer = io.BytesIO()\nif rank == 0:\n    torch.save(model, buffer)\n",
        "if rank == 0:\n    with make() as file:\n        torch.save(model, file)\n",
        "if rank == 0:\n    file = open('m.pt', 'wb')\n    torch.save(model, file)\n",
        "if dist.get_rank() == 1:\n    torch.save(model, 'm.pt')\n",
    ],
    ids=["rank in the name", "no checkpoint", "memory", "with", "open", "another rank"],
)
def test_what_is_not_meant(program: str, tmp_path: Path) -> None:
    assert after(program, tmp_path) == program


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            (
                "best = 9\nfor loss in range(9):\n    if rank == 0:\n        if loss < best:\n            best = loss\n"
                "            torch.save(model, 'm.pt')\n"
            ),
            "other conditions decide too",
        ),
        (
            "def f():\n    if rank == 0:\n        if model.bias:\n            return\n        torch.save(model, 'm.pt')\n\n\nf()\n",
            "a return may come before the save",
        ),
        (
            "def f():\n    if model.bias:\n        torch.save(model, 'm.pt')\n\n\nif rank == 0:\n    f()\n",
            "other conditions decide too",
        ),
        ("done = torch.save(model, 'm.pt') if rank == 0 else None\n", "the result of the save is used"),
        (
            "if rank == 0:\n    try:\n        torch.save(model, 'm.pt')\n    except OSError:\n        pass\n",
            "other conditions decide too",
        ),
        (
            "if rank == 0:\n    for number in range(3):\n        torch.save(model, f'{number}.pt')\n",
            "other conditions decide too",
        ),
        (
            "def load(shape):\n    return torch.zeros(shape)\n\n\nif rank == 0 and load(3).sum() == 0:\n    torch.save(model, 'm.pt')\n",
            "the condition does more than look at values",
        ),
        (
            "if rank == 0:\n    torch.save(model, 'm.pt')\nelif model:\n    print(1)\nelse:\n    print(2)\n",
            "go several ways",
        ),
        ("if rank == 0:\n    model.save_pretrained('m', push_to_hub=True)\n", "the save is an upload too"),
    ],
    ids=["best", "exit", "method", "result", "try", "loop", "condition", "elif", "upload"],
)
def test_what_cannot_be_done_is_said(
    program: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert after(program, tmp_path, code=1) == program
    assert said in capsys.readouterr().err


def test_a_caught_failure_stays_the_finding_it_was(tmp_path: Path) -> None:
    """The walk knows of exceptions that one rank catches, but not which of them the rewrite makes common."""
    before = f"try:\n    if rank == 0:\n        {SAVE}\n    dist.barrier()\nexcept OSError:\n    print(1)\ndist.all_reduce(torch.ones(1))\n"
    assert f"        {CALL}\n    else:\n        save_verified()\n    dist.barrier()\n" in after(before, tmp_path)


def test_lines_are_those_of_the_file_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text(f"{START}if rank == 0:\n    {SAVE}\n    torch.save(1, 'b')\n{SAVE}\n")
    main(["--insert", NAME, str(tmp_path / "train.py")])
    said = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1] for line in said[:-1]] == ["9", "10", "11"]
    assert said[-1] == "3 places inserted in 1 file."
