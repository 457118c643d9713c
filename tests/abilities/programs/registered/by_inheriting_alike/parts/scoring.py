from parts.base import Task
from parts.meeting import score


class Scoring(Task, name="score"):
    def run(self, model, loader):
        return score(model, loader)


class Counting(Task, name="count"):
    def run(self, model, loader):
        return len(loader)
