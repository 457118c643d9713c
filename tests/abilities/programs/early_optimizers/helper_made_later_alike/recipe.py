"""Says how a model is trained, and knows of no rank."""

import torch


def optimizer_for(model, rate):
    decayed, plain = [], []
    for name, weight in model.named_parameters():
        (plain if name.endswith("bias") else decayed).append(weight)
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate)
