import ignite.distributed as idist
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy

from job import build, loaders


def training(local_rank, config):
    train, valid = loaders(config)
    model = idist.auto_model(build())
    optimizer = idist.auto_optim(torch.optim.SGD(model.parameters(), lr=config["lr"]))
    trainer = create_supervised_trainer(model, optimizer, torch.nn.CrossEntropyLoss())
    evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy()})

    @trainer.on(Events.EPOCH_COMPLETED)
    def validate(engine):
        state = evaluator.run(valid)
        if idist.get_rank() == 0:
            print(engine.state.epoch, state.metrics)

    if idist.get_rank() == 0:

        @trainer.on(Events.COMPLETED)
        def keep(engine):
            torch.save(model.state_dict(), "last.pt")

    trainer.run(train, max_epochs=config["epochs"])


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2) as parallel:
        parallel.run(training, {"lr": 0.1, "epochs": 3})
