"""Where pages are kept."""

import torch


def keep(page, number):
    torch.save(page, "pages/newest.pt")  # expect: DDP201
    return page
