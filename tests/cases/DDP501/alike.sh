#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
export OMP_NUM_THREADS=8
torchrun --nproc-per-node 8 train.py
