"""All ranks write a text, or the one that does has the whole model, or asks for nothing that is split."""

import os

import deepspeed
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


def by_all(loader):
    model = sharded()
    for step, batch in enumerate(loader):
        model(**batch).loss.backward()
        if step % 500 == 0:
            text = model.generate(batch["input_ids"][:1], max_new_tokens=32, synced_gpus=True)
            if dist.get_rank() == 0:
                print(text)


def of_a_copy(loader):
    model = DistributedDataParallel(setup())
    for step, batch in enumerate(loader):
        model(**batch).loss.backward()
        if step % 500 == 0 and dist.get_rank() == 0:
            print(model.module.generate(batch["input_ids"][:1], max_new_tokens=32))


def of_an_engine(loader):
    model = AutoModelForCausalLM.from_pretrained("small")
    engine, *_ = deepspeed.initialize(model=model, config={"zero_optimization": {"stage": 2}})
    for step, batch in enumerate(loader):
        engine.backward(engine(**batch).loss)
        engine.step()
        if step % 500 == 0 and dist.get_rank() == 0:
            print(engine.generate(batch["input_ids"][:1], max_new_tokens=32))


def of_its_settings(loader):
    model = sharded()
    if dist.get_rank() == 0:
        print(model.num_parameters(), model.get_input_embeddings())
    for batch in loader:
        model(**batch).loss.backward()


by_all(torch.load("loader.pt"))
of_a_copy(torch.load("loader.pt"))
of_an_engine(torch.load("loader.pt"))
of_its_settings(torch.load("loader.pt"))
