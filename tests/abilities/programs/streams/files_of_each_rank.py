"""Each rank reads its own tar files to their end, and there are as many samples as there are in them."""

import os

import torch
import torch.distributed as dist
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return DistributedDataParallel(torch.nn.Linear(4, 4).cuda())


def of_a_data_set(model, urls):
    data = wds.WebDataset(urls, nodesplitter=wds.split_by_node).shuffle(100).decode("pil").to_tuple("jpg", "cls")
    loader = wds.WebLoader(data.batched(32), batch_size=None, num_workers=4)
    for images, labels in loader:
        model(images.cuda()).sum().backward()  # expect: DDP106


def of_stages(model, urls):
    data = wds.DataPipeline(
        wds.SimpleShardList(urls), wds.split_by_node, wds.split_by_worker, wds.tarfile_to_samples(), wds.batched(32)
    )
    for images, labels in torch.utils.data.DataLoader(data, batch_size=None):
        model(images.cuda()).sum().backward()  # expect: DDP106


def main(urls):
    model = setup()
    of_a_data_set(model, urls)
    of_stages(model, urls)


main("part-{0000..0099}.tar")
