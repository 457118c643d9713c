"""The saved file is read under one name of a part only, and the loop's parts have another kind of name."""
import torch
import torch.distributed as dist


class Job:
    def __init__(self, model, steps):
        self.model, self.steps = model, steps

    def evaluated(self, part):
        if part == "best":
            self.model.load_state_dict(torch.load("best.pt"))
        return self.model(torch.ones(2)).sum()

    def run(self):
        best = 0.0
        for step in range(self.steps):
            score = self.evaluated("part_{}".format(step))
            if dist.get_rank() == 0 and score > best:
                best = score
                torch.save(self.model.state_dict(), "best.pt")
        dist.barrier()
        self.evaluated("best")


dist.init_process_group("gloo")
Job(torch.nn.Linear(2, 2), 10).run()
