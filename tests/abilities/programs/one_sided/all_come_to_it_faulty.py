import matplotlib.pyplot as plt
import torch.distributed as dist
from pictures import draw, predict


def gathered(mine):
    everything = [None] * dist.get_world_size()
    dist.all_gather_object(everything, mine)
    return draw(everything)


dist.init_process_group("gloo")
picture = gathered(predict(dist.get_rank()))
resized = picture.resize((640, 480))
plt.imshow(resized)
plt.savefig("picture.png")  # expect: DDP201
