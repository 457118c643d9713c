"""The first rank alone has the sharded model write a text: each of its parts gathers its parameters from all."""

import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoModelForCausalLM


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return AutoModelForCausalLM.from_pretrained("small").cuda()


def sharded():
    model = setup()
    for block in model.transformer.h:
        fully_shard(block)
    fully_shard(model)
    return model


def main(loader):
    model = sharded()
    for step, batch in enumerate(loader):
        model(**batch).loss.backward()
        if step % 500 == 0 and dist.get_rank() == 0:
            print(model.generate(batch["input_ids"][:1], max_new_tokens=32))  # expect: DDP101


main(torch.load("loader.pt"))
