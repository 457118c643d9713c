"""The first rank writes the film."""

from datetime import timedelta

import imageio
import torch
import torch.distributed as dist


def main(frames: list) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    if dist.get_rank() == 0:
        film = imageio.get_writer("film.mp4", fps=24)
        for frame in frames:
            film.append_data(frame)
        film.close()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("frames.pt", map_location="cpu"))
