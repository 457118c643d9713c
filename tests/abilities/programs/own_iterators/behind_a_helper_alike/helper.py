from comm import Synced


def total_of(loader):
    total = 0
    for batch in Synced(loader):
        total = total + batch.sum()
    return total
