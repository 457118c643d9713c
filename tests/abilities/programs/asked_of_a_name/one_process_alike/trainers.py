"""Which of these trains is asked of its name: one of them runs in one process only, and writes as it likes."""

import os
import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Basic:
    def __init__(self, policy, config, run_dir, rank=0, world_size=1):
        self.policy, self.config, self.run_dir, self.rank = policy, config, run_dir, rank

    def train(self):
        for step in range(self.config.steps):
            loss = self.policy(step)
            dist.all_reduce(loss)
            if step % 10 == 0 and not self.config.debug:
                self.save(os.path.join(self.run_dir, f"step-{step}"))

    def write(self, state, filename, dir_name=None):
        if dir_name is None:
            dir_name = os.path.join(self.run_dir, "LATEST")
        os.makedirs(dir_name, exist_ok=True)
        torch.save(state, os.path.join(dir_name, filename))

    def save(self, out=None):
        self.write(self.policy.state_dict(), "policy.pt", out)


class FSDPTrainer(Basic):
    def __init__(self, policy, config, run_dir, rank=0, world_size=1):
        super().__init__(policy, config, run_dir, rank, world_size)
        self.policy = FSDP(policy)
        dist.barrier()

    def save(self, out=None):
        state = self.policy.state_dict()
        if self.rank == 0:
            self.write(state, "policy.pt", out)
        dist.barrier()
