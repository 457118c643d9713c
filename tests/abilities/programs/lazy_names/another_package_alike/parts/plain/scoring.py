def score(model, loader):
    return len(loader)
