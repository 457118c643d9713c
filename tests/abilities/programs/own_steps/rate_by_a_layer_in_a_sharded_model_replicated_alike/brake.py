class Brake:
    def __init__(self, optimizer, limit):
        self.optimizer, self.limit = optimizer, limit

    def look(self, layer):
        largest = layer.weight.detach().abs().max().item()
        if largest > self.limit:
            for group in self.optimizer.param_groups:
                group["lr"] *= 0.5
