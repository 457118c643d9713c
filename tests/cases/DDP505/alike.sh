#!/bin/bash
torchrun --nproc-per-node=8 train.py --epochs 3
