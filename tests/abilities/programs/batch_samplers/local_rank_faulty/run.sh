torchrun --nnodes=2 --nproc_per_node=8 --node_rank=$NODE --master_addr=$ADDRESS train.py
