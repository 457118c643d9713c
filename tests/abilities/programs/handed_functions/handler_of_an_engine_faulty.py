import ignite.distributed as idist
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss

from job import build, loaders


def training(local_rank, config):
    train, valid = loaders(config)
    model = idist.auto_model(build())
    optimizer = idist.auto_optim(torch.optim.SGD(model.parameters(), lr=config["lr"]))
    criterion = torch.nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(model, optimizer, criterion, device=idist.device())
    metrics = {"accuracy": Accuracy(), "loss": Loss(criterion)}
    evaluator = create_supervised_evaluator(model, metrics=metrics, device=idist.device())

    @trainer.on(Events.EPOCH_COMPLETED(every=2))
    def validate(engine):
        if idist.get_rank() == 0:
            state = evaluator.run(valid)  # expect: DDP101
            print(engine.state.epoch, state.metrics)

    trainer.run(train, max_epochs=config["epochs"])


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2) as parallel:
        parallel.run(training, {"lr": 0.1, "epochs": 3})
