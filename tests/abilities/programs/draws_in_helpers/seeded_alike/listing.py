import glob
import random


def parts(folder):
    paths = sorted(glob.glob(folder + "/*.bin"))
    random.Random(7).shuffle(paths)
    return paths
