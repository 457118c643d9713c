#!/bin/bash
#SBATCH --nodes=2
export NCCL_ASYNC_ERROR_HANDLING=1  # expect: DDP502
srun torchrun --nproc-per-node 8 train.py
