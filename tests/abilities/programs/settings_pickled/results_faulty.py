"""What is pickled by all ranks is what they have worked out, and may be much."""

import argparse
import pickle

import torch
import torch.distributed as dist


def main(args):
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    found = train(args)
    with open(f"{args.folder}/found.pkl", "wb") as file:  # expect: DDP201
        pickle.dump(found, file)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="out")
    main(parser.parse_args())
