import torch.distributed as dist
from datasets import load_dataset


def main():
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    rows = load_dataset("json", data_files="rows.jsonl", split="train").shuffle().select(range(1000))
    mine = rows.shard(num_shards=world_size, index=rank)  # expect: DDP307
    for row in mine:
        print(row)
    dist.destroy_process_group()


main()
