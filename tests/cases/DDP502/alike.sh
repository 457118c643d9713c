#!/bin/bash
#SBATCH --nodes=2
export TORCH_NCCL_ASYNC_ERROR_HANDLING=1
srun torchrun --nproc-per-node 8 train.py
