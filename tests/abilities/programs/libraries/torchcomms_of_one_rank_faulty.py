"""A communicator of torchcomms is used by one rank."""

import torch
from torchcomms import ReduceOp, new_comm


def main() -> None:
    comm = new_comm("ncclx", torch.device("cuda"), name="main")
    rank = comm.get_rank()
    tensor = torch.ones(4, device=f"cuda:{rank % torch.cuda.device_count()}")
    if rank == 0:
        comm.all_reduce(tensor, ReduceOp.SUM, async_op=False)  # expect: DDP101
    if rank == 0:
        print(tensor)
    comm.finalize()


if __name__ == "__main__":
    main()
