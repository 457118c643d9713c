"""Each rank writes a film of its own."""

from datetime import timedelta

import imageio
import torch
import torch.distributed as dist


def main(frames: list) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    with imageio.get_writer(f"film{dist.get_rank()}.mp4", fps=24) as film:
        for frame in frames:
            film.append_data(frame)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("frames.pt", map_location="cpu"))
