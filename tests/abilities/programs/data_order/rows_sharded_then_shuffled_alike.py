import torch.distributed as dist
from datasets import load_dataset


def main():
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    rows = load_dataset("json", data_files="rows.jsonl", split="train").shuffle(seed=7)
    mine = rows.shard(num_shards=world_size, index=rank)
    for row in mine.shuffle():
        print(row)
    dist.destroy_process_group()


main()
