"""By one option the script works through the texts with threads, by another its processes share the pictures."""

import argparse
import os
import threading
from queue import Queue

import numpy as np
from accelerate import Accelerator
from torch.utils.data import DataLoader


def work(jobs, folder):
    while not jobs.empty():
        name, text = jobs.get()
        np.savez_compressed(os.path.join(folder, name), encoded(text))
        jobs.task_done()


def encode_texts(args):
    os.makedirs(args.folder, exist_ok=True)
    jobs = Queue()
    for one in texts(args):
        jobs.put(one)
    for _ in range(20):
        threading.Thread(target=work, args=(jobs, args.folder)).start()
    jobs.join()
    np.save(os.path.join(args.folder, "done.npy"), np.ones(1))


def encode_pictures(args):
    accelerator = Accelerator()
    loader = accelerator.prepare(DataLoader(pictures(args), batch_size=8))
    for name, picture in loader:
        np.save(os.path.join(args.folder, name), encoded(picture))
    accelerator.wait_for_everyone()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="out")
    parser.add_argument("--texts", action="store_true")
    parser.add_argument("--pictures", action="store_true")
    args = parser.parse_args()
    if args.texts:
        encode_texts(args)
    if args.pictures:
        encode_pictures(args)
