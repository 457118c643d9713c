#!/bin/sh
for batch in 1 2 4; do
    torchrun --nproc_per_node=1 \
        measure.py --batch $batch
done
