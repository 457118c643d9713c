from parts.meeting import score


def counting(model, loader):
    return len(loader)


def naming(model, loader):
    return type(model).__name__


def training(model, loader):
    return model.training


def shape(model, loader):
    return [one.shape for one in model.parameters()]


JOBS = {"count": counting, "name": naming, "train": training, "shape": shape, "score": score, "print": print}
