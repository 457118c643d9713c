"""A method of that name of another parser, and options that are classes of others."""
import torch.distributed as dist
from elsewhere import Parser, Plan
from simple_parsing import ArgumentParser


def main():
    parser = Parser()
    parser.add_arguments(Plan, dest="plan")
    given = parser.parse_args()
    if given.plan.leads():
        dist.barrier()
    parser = ArgumentParser()
    parser.add_arguments(Plan, dest="plan")
    if parser.parse_args().plan.leads():
        dist.barrier()


main()
