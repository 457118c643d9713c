"""Streams that end after a number of batches, never end, or are read by nobody who trains."""

import os

import torch
import torch.distributed as dist
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return DistributedDataParallel(torch.nn.Linear(4, 4).cuda())


def counted(model, urls):
    data = wds.WebDataset(urls, nodesplitter=wds.split_by_node).decode("pil").to_tuple("jpg", "cls").batched(32)
    for images, labels in wds.WebLoader(data, batch_size=None).with_epoch(1000):
        model(images.cuda()).sum().backward()


def drawn(model, urls):
    data = wds.WebDataset(urls, resampled=True, nodesplitter=wds.split_by_node).to_tuple("jpg", "cls").batched(32)
    for step, (images, labels) in enumerate(data):
        model(images.cuda()).sum().backward()
        if step == 1000:
            break


def all_files(model, urls):
    data = wds.WebDataset(urls, nodesplitter=None).to_tuple("jpg", "cls").batched(32)
    for images, labels in data:
        model(images.cuda()).sum().backward()


def looked_at(model, urls):
    data = wds.WebDataset(urls, nodesplitter=wds.split_by_node).to_tuple("jpg", "cls").batched(32)
    for images, labels in data:
        print(model.module(images.cuda()).sum())


def main(urls):
    model = setup()
    counted(model, urls)
    drawn(model, urls)
    all_files(model, urls)
    looked_at(model, urls)


main("part-{0000..0099}.tar")
