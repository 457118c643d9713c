from torch.nn.utils import clip_grad_norm_


def update(model, optimizer, limit):
    model.clip_grad_norm_(limit)
    optimizer.step()
