from parts.meeting import score
from parts.registry import TASKS


@TASKS.register()
class Scoring:
    def __init__(self, loader):
        self.loader = loader

    def run(self, model):
        return score(model, self.loader)


@TASKS.register()
class Counting:
    def __init__(self, loader):
        self.loader = loader

    def run(self, model):
        return len(self.loader)
