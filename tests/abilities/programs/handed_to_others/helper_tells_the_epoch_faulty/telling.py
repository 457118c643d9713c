def begin_epoch(loader, epoch):
    print(epoch, len(loader))
