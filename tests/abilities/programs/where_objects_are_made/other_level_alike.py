import argparse
import os

import lightning
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--level", type=int, default=0)
args = parser.parse_args()


class Net(lightning.LightningModule):
    def __init__(self, args):
        super().__init__()
        self.args = args

    def on_train_epoch_start(self):
        if int(os.environ["LOCAL_RANK"]) == 0 and self.args.level == 0:
            dist.barrier()


def main():
    if args.level == 0:
        return
    lightning.Trainer().fit(Net(args))


main()
