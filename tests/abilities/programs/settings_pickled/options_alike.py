"""The options of the run are pickled by all ranks, the same few lines, and read by a later run."""

import argparse
import pickle

import torch
import torch.distributed as dist


def main(args):
    if args.resume:
        with open(f"{args.folder}/args.pkl", "rb") as file:
            args = pickle.load(file)
    else:
        with open(f"{args.folder}/args.pkl", "wb") as file:
            pickle.dump(args, file)
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    train(args)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="out")
    parser.add_argument("--resume", action="store_true")
    main(parser.parse_args())
