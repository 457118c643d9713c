import torch.distributed as dist


def talk(answer):
    """Rank 0 asks until it has something to send, and all stop at the same word."""
    while True:
        text, stop = "", False
        if dist.get_rank() == 0:
            text = input("query > ").strip()
            if not text:
                print("say something")
                continue
            stop = text == "stop"
            dist.broadcast_object_list([text, stop])
        else:
            info = [text, stop]
            dist.broadcast_object_list(info)
            text, stop = info
        if stop:
            return
        answer(text)


dist.init_process_group("gloo")
talk(print)
