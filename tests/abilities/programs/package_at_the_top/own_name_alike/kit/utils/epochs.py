def tell(loader, epoch):
    loader.sampler.set_epoch(epoch)
