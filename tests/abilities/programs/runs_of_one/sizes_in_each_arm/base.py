"""Settings of the base model."""

import argparse

args = argparse.Namespace(layers=8, world_size=1, rank=0)
