"""A communicator that is split off has fewer ranks: those of its list come to it."""

import torch
from torchcomms import ReduceOp, new_comm


def main() -> None:
    comm = new_comm("ncclx", torch.device("cuda"), name="main")
    rank, half = comm.get_rank(), comm.get_size() // 2
    ranks = list(range(half)) if rank < half else list(range(half, 2 * half))
    part = comm.split(ranks, name="half")
    tensor = torch.ones(4, device="cuda")
    if rank < half:
        part.all_reduce(tensor, ReduceOp.SUM, async_op=False)
    comm.barrier(async_op=False)
    comm.finalize()


if __name__ == "__main__":
    main()
