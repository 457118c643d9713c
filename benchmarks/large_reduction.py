"""What it costs to gather or reduce a large tensor whole, in pieces, or not at all.

    torchrun --standalone --nproc-per-node 2 benchmarks/large_reduction.py

Each rank holds the logits of 512 tokens over a vocabulary of 32,000 (62.5 MiB). They are gathered and reduced, whole
and in pieces, and at last only what an evaluation needs of them is reduced: the sum of the losses and the number of
tokens (computing these is not counted). Prints the fastest of nine rounds in milliseconds. Needs torch; the backend is
gloo unless the variable ``BACKEND`` says else.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import torch
import torch.distributed as dist

TOKENS, VOCABULARY, ROUNDS = 512, 32000, 9


def gathered(tensor: torch.Tensor) -> list[torch.Tensor]:
    """The tensors of all ranks."""
    parts = [torch.empty_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, tensor)
    return parts


def gather_in_pieces(tensor: torch.Tensor, numbers: int) -> None:
    """Gather ``numbers`` numbers at a time; a piece would be used here, and is dropped."""
    for piece in tensor.view(-1).split(numbers):
        gathered(piece)


def reduce_in_pieces(tensor: torch.Tensor, numbers: int) -> None:
    """All-reduce a contiguous tensor in place, ``numbers`` numbers at a time."""
    for piece in tensor.view(-1).split(numbers):
        dist.all_reduce(piece)


def fastest(do: Callable[[], object]) -> float:
    """Milliseconds a round takes on the slowest rank."""
    taken = []
    for _ in range(ROUNDS):
        dist.barrier()
        start = time.perf_counter()
        do()
        seconds = torch.tensor([time.perf_counter() - start])
        dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
        taken.append(seconds.item())
    return 1000 * min(taken)


def main() -> None:
    """Measure and print."""
    dist.init_process_group(os.environ.get("BACKEND", "gloo"))
    logits = torch.randn(TOKENS, VOCABULARY)
    loss = torch.nn.functional.cross_entropy(logits, torch.randint(VOCABULARY, (TOKENS,)), reduction="sum")
    needed = torch.stack([loss, torch.tensor(float(TOKENS))])
    rows: list[tuple[str, Callable[[], object]]] = [
        ("all_gather, whole", lambda: gathered(logits)),
        ("all_gather, 4 MiB at a time", lambda: gather_in_pieces(logits, 1 << 20)),
        ("all_gather, 64 KiB at a time", lambda: gather_in_pieces(logits, 1 << 14)),
        ("all_reduce, whole", lambda: dist.all_reduce(logits)),
        ("all_reduce, 4 MiB at a time", lambda: reduce_in_pieces(logits, 1 << 20)),
        ("all_reduce, 64 KiB at a time", lambda: reduce_in_pieces(logits, 1 << 14)),
        ("all_reduce of loss and count", lambda: dist.all_reduce(needed)),
    ]
    for what, do in rows:
        milliseconds = fastest(do)
        if dist.get_rank() == 0:
            print(f"{what:30} {milliseconds:9.1f} ms", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
