"""A function that asks for the rank and says how its own work went: ranks go on with answers of their own."""

import torch.distributed as dist


def is_sent(result) -> bool:
    rank = dist.get_rank()
    try:
        send(result, rank)
        return True
    except ConnectionError:  # expect: DDP105
        return False


def main() -> None:
    dist.init_process_group("gloo")
    for result in results():
        if not is_sent(result):
            break
        dist.barrier()
    if dist.get_rank() < 2 and not is_sent(None):
        return
    dist.barrier()  # expect: DDP101


main()
