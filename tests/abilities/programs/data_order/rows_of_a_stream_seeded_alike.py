import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    rows = load_dataset("allenai/c4", "en", split="train", streaming=True)
    rows = rows.shuffle(seed=3, buffer_size=1000)
    mine = split_dataset_by_node(rows, rank=rank, world_size=world)
    for row in mine:
        print(row)
    dist.destroy_process_group()


main()
