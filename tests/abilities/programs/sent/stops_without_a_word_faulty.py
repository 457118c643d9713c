import torch.distributed as dist


def talk(answer):
    """Rank 0 stops at a word that it does not send."""
    while True:
        text = ""
        if dist.get_rank() == 0:
            text = input("query > ").strip()
            if text == "stop":
                return
            dist.broadcast_object_list([text])
        else:
            held = [text]
            dist.broadcast_object_list(held)  # expect: DDP101
            text = held[0]
        answer(text)


dist.init_process_group("gloo")
talk(print)
