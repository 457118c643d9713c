import signal

import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    asked = {"for": None}

    def write_down(number, frame):
        print("signal", number)
        asked["for"] = number

    for one in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(one, write_down)
    for _ in range(9):
        dist.barrier()
        if asked["for"] is not None:
            dist.all_gather_object([None] * dist.get_world_size(), asked)  # expect: DDP104


main()
