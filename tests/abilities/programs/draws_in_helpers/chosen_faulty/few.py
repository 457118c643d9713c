import numpy as np
from torch.utils.data import Subset


def few_of_each(data, labels, count):
    chosen = []
    for label in range(10):
        where = np.where(np.array(labels) == label)[0]
        chosen.extend(np.random.choice(where, count, replace=False))
    return Subset(data, chosen)
