"""The end of what is typed ends the loop on the ranks that read it: all read the same."""

from datetime import timedelta

import torch.distributed as dist


def lines():
    try:
        while True:
            yield input("prompt: ").strip()
    except EOFError:
        pass


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    for line in lines():
        sent = [line]
        dist.broadcast_object_list(sent, src=0)
        print(sent)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
