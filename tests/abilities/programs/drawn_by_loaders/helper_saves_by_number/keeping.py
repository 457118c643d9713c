"""Where pages are kept."""

import torch


def keep(page, number):
    torch.save(page, f"pages/{number}.pt")
    return page
