#!/bin/bash
export NCCL_TIMEOUT=3600  # expect: DDP501
torchrun --nproc-per-node 8 train.py
