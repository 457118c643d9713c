from torch.nn.utils import clip_grad_norm_


def update(model, optimizer, limit):
    clip_grad_norm_(model.parameters(), limit)
    optimizer.step()
