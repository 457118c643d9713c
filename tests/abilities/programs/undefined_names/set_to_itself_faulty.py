import torch
from accelerate import Accelerator


def main():
    accelerator = Accelerator()
    model = accelerator.prepare(torch.nn.Linear(4, 4))
    model(torch.ones(2, 4)).sum().backward()
    torch.save(model.state_dict(), "model.pt")  # expect: DDP201
    if accelerator.is_main_process:
        print("saved")


if __name__ == "__main__":
    try:
        main()
    finally:
        options.limit = options.limit  # noqa: F821
