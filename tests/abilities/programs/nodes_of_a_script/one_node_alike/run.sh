#!/bin/sh
torchrun --nnodes=4 --nproc_per_node=8 --node_rank=$NODE --master_addr=$ADDRESS train.py
torchrun --nproc_per_node=8 measure.py
