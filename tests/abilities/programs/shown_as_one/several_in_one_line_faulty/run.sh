#!/bin/sh
for batch in 1 2 4; do
    torchrun --nproc_per_node=$DEVICES \
        measure.py --batch $batch
done
