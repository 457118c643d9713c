import matplotlib.pyplot as plt
import torch.distributed as dist
from pictures import draw, predict


def gathered(mine):
    everything = [None] * dist.get_world_size()
    dist.all_gather_object(everything, mine)
    if dist.get_rank() != 0:
        return None
    return draw(everything)


dist.init_process_group("gloo")
picture = gathered(predict(dist.get_rank()))
resized = picture.resize((640, 480))  # expect: DDP112
plt.imshow(resized)
plt.savefig("picture.png")
