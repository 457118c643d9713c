#!/bin/sh
torchrun --nproc_per_node=8 measure.py --quick
torchrun --nnodes=2 --nproc_per_node=8 --node_rank=$NODE --master_addr=$ADDRESS measure.py
