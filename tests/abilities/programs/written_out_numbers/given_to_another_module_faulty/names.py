import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int)
NUMBER = parser.parse_args().number
