import torch.distributed as dist
from datasets import load_dataset

from talk import all_are


def data_of(name):
    loaded, failed = True, None
    data = None
    if dist.get_rank() == 0:
        try:
            data = load_dataset(name)  # expect: DDP402
        except OSError as error:
            loaded, failed = False, error
    if not all_are(loaded):
        raise RuntimeError(name) from failed
    if dist.get_rank() != 0:
        data = load_dataset(name)
    return data


if __name__ == "__main__":
    dist.init_process_group("gloo")  # expect: DDP401
    print(len(data_of("wiki")))
