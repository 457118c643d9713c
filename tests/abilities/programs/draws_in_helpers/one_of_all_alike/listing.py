import glob
import random


def parts(folder):
    paths = sorted(glob.glob(folder + "/*.bin"))
    random.shuffle(paths)
    return paths
