"""The options are pickled by all ranks, and read back by each of them while others may be writing."""

import argparse
import pickle

import torch.distributed as dist


def main(args):
    dist.init_process_group("gloo")
    with open(f"{args.folder}/args.pkl", "wb") as file:  # expect: DDP201
        pickle.dump(args, file)
    with open(f"{args.folder}/args.pkl", "rb") as file:
        train(pickle.load(file))
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="out")
    main(parser.parse_args())
