"""What is answered from the knowledge tables."""

from __future__ import annotations

import pytest

from ddplint.knowledge import Api, Knowledge, load_knowledge


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_knowledge()


# ---- names as people write them ----


# As written, the name of the row (`=`: the same), its kind.
LOOKUPS = """
torch.distributed.all_reduce = collective
torch.distributed.distributed_c10d.all_reduce torch.distributed.all_reduce collective
torch.distributed._tensor.DTensor.full_tensor torch.distributed.tensor.DTensor.full_tensor collective
torch.distributed._tensor.init_device_mesh torch.distributed.device_mesh.init_device_mesh collective
torch.distributed._composable.fsdp.fully_shard torch.distributed.fsdp.fully_shard wrapper
torch.nn.parallel.DistributedDataParallel = wrapper
torch.nn.parallel.distributed.DistributedDataParallel torch.nn.parallel.DistributedDataParallel wrapper
torch.utils.data.DistributedSampler torch.utils.data.distributed.DistributedSampler sampler
torch.serialization.save torch.save save_rank0
torch.distributed.device_mesh.init_device_mesh.get_local_rank
    torch.distributed.device_mesh.DeviceMesh.get_local_rank rank_source
torch.distributed.pipelining.Schedule1F1B.step
    torch.distributed.pipelining.schedules.PipelineScheduleSingle.step collective
accelerate.Accelerator.wait_for_everyone = collective
accelerate.accelerator.Accelerator.is_main_process accelerate.Accelerator.is_main_process rank_predicate
accelerate.utils.broadcast = collective
accelerate.utils.operations.broadcast accelerate.utils.broadcast collective
accelerate.PartialState.main_process_first = main_first_context
accelerate.state.AcceleratorState.is_main_process accelerate.PartialState.is_main_process rank_predicate
accelerate.utils.InitProcessGroupKwargs accelerate.InitProcessGroupKwargs timeout_setter
transformers.trainer.Trainer.evaluate transformers.Trainer.evaluate collective
transformers.Seq2SeqTrainer.predict transformers.Trainer.predict collective
transformers.Trainer.accelerator.wait_for_everyone accelerate.Accelerator.wait_for_everyone collective
transformers.AutoModelForCausalLM.from_pretrained.save_pretrained
    transformers.PreTrainedModel.save_pretrained save_rank0
transformers.LlamaForCausalLM.resize_token_embeddings
    transformers.PreTrainedModel.resize_token_embeddings collective
transformers.AutoTokenizer.from_pretrained.save_pretrained
    transformers.PreTrainedTokenizerBase.save_pretrained save_rank0
trl.SFTTrainer.save_model transformers.Trainer.save_model save_all_ranks
trl.trainer.sft_trainer.SFTTrainer trl.SFTTrainer wrapper
datasets.arrow_dataset.Dataset.map datasets.Dataset.map local
deepspeed.comm.comm.barrier deepspeed.comm.barrier collective
deepspeed.init_distributed deepspeed.comm.init_distributed init
deepspeed.runtime.engine.DeepSpeedEngine.save_checkpoint
    deepspeed.DeepSpeedEngine.save_checkpoint save_all_ranks
deepspeed.zero.GatheredParameters = collective
deepspeed.runtime.pipe.engine.PipelineEngine.save_checkpoint
    deepspeed.DeepSpeedEngine.save_checkpoint save_all_ranks
pytorch_lightning.Trainer.fit lightning.pytorch.Trainer.fit collective
lightning.Trainer.save_checkpoint lightning.pytorch.Trainer.save_checkpoint save_all_ranks
lightning.pytorch.LightningModule.all_gather = collective
lightning.LightningModule.trainer.is_global_zero lightning.pytorch.Trainer.is_global_zero rank_predicate
pytorch_lightning.Trainer.strategy.barrier lightning.pytorch.strategies.Strategy.barrier collective
lightning.pytorch.strategies.DeepSpeedStrategy.broadcast
    lightning.pytorch.strategies.Strategy.broadcast collective
pytorch_lightning.utilities.rank_zero_only lightning.pytorch.utilities.rank_zero_only rank_zero_decorator
pytorch_lightning.utilities.distributed.rank_zero_only
    lightning.pytorch.utilities.rank_zero_only rank_zero_decorator
lightning_utilities.core.rank_zero.rank_zero_only
    lightning.pytorch.utilities.rank_zero_only rank_zero_decorator
lightning.Fabric.barrier lightning.fabric.Fabric.barrier collective
lightning_fabric.Fabric.is_global_zero lightning.fabric.Fabric.is_global_zero rank_predicate
torchmetrics.Metric.compute = collective
torchmetrics.Accuracy.compute torchmetrics.Metric.compute collective
torchmetrics.classification.MulticlassF1Score.compute torchmetrics.Metric.compute collective
torchmetrics.MetricCollection.compute = collective
mmengine.dist.utils.is_main_process mmengine.dist.is_main_process rank_predicate
mmengine.dist.master_only = rank_zero_decorator
mmengine.runner.FlexibleRunner.train mmengine.runner.Runner.train collective
mmcv.runner.get_dist_info = rank_source
modelscope.utils.torch_utils.get_dist_info = rank_source
torch.distributed.breakpoint = collective
torchtitan.distributed.utils.init_distributed = init
torchtitan.distributed.utils.set_pg_timeouts = collective
torchtitan.distributed.utils.dist_sum = collective
torchtitan.distributed.utils.dist_max = collective
torchtitan.distributed.utils.dist_mean = collective
torchtitan.components.checkpoint.CheckpointManager.save
    torchtitan.components.checkpointer.CheckpointManager.save save_all_ranks
torchtitan.components.checkpointer.dcp.CheckpointManager.load
    torchtitan.components.checkpointer.CheckpointManager.load collective
torchft.manager.Manager.should_commit torchft.Manager.should_commit collective
torchft.Optimizer.step = collective
torchft.Manager.num_participants = uniform_source
torchft.DistributedSampler = sampler
torchft.DistributedSampler.set_epoch torch.utils.data.distributed.DistributedSampler.set_epoch local
verl.utils.logger.print_rank_0 = log_any
verl.utils.logger.aggregate_logger.log_with_rank verl.utils.logger.log_with_rank log_any
lightning.pytorch.Trainer.logged_metrics = local
lightning.pytorch.Trainer.strategy.global_rank lightning.pytorch.strategies.Strategy.global_rank rank_source
lightning.fabric.Fabric.strategy.all_reduce lightning.fabric.strategies.Strategy.all_reduce collective
lightning.fabric.strategies.FSDPStrategy.reduce_boolean_decision
    lightning.fabric.strategies.Strategy.reduce_boolean_decision collective
lightning.fabric.strategies.DDPStrategy.is_global_zero
    lightning.fabric.strategies.Strategy.is_global_zero rank_predicate
nemo.utils.AppState.global_rank nemo.utils.app_state.AppState.global_rank rank_source
nemo.utils.distributed.initialize_distributed = init
nemo.utils.distributed.gather_objects = collective
nemo.utils.distributed.temporary_directory = collective
nemo.collections.llm.utils.barrier = collective
nemo.lightning.io.hf.is_rank_0 = rank_predicate
nemo.collections.nlp.parts.utils_funcs.is_last_rank = rank_predicate
nemo.collections.nlp.parts.utils_funcs.get_last_rank = uniform_source
nemo.core.classes.ModelPT.save_to nemo.core.ModelPT.save_to save_any
nemo.core.ModelPT.all_gather lightning.pytorch.LightningModule.all_gather collective
nemo.lightning.Trainer.fit lightning.pytorch.Trainer.fit collective
nemo.lightning.Trainer.strategy.barrier lightning.pytorch.strategies.Strategy.barrier collective
nemo.lightning.MegatronStrategy.broadcast lightning.pytorch.strategies.Strategy.broadcast collective
nemo.lightning.Fabric.strategy.barrier lightning.fabric.strategies.Strategy.barrier collective
modelscope.utils.torch_utils.synchronize = collective
modelscope.utils.torch_utils.master_only = rank_zero_decorator
swift.utils.env.get_dist_setting swift.utils.get_dist_setting rank_source
swift.utils.safe_ddp_context = main_first_context
swift.utils.torch_utils.init_process_group swift.utils.init_process_group init
verl.utils.distributed.initialize_global_process_group = init
dllogger.JSONStreamBackend = local
detectron2.utils.comm.synchronize = collective
detectron2.engine.launch = launcher
fairseq.distributed_utils.is_master fairseq.distributed.utils.is_master rank_predicate
fairseq.distributed.utils.all_gather_list = collective
timm.utils.is_primary = rank_predicate
timm.utils.distributed.reduce_tensor timm.utils.reduce_tensor collective
ignite.distributed.all_reduce = collective
ignite.distributed.utils.get_rank ignite.distributed.get_rank rank_source
ignite.metrics.Accuracy.compute ignite.metrics.Metric.compute collective
megatron.core.parallel_state.get_data_parallel_rank = rank_source
megatron.core.mpu.get_data_parallel_rank megatron.core.parallel_state.get_data_parallel_rank rank_source
megatron.training.print_rank_0 megatron.training.utils.print_rank_0 log_any
horovod.torch.allreduce = collective
horovod.torch.mpi_ops.rank horovod.torch.rank rank_source
horovod.torch.elastic.TorchState.commit horovod.torch.elastic.State.commit collective
ray.train.report = save_all_ranks
ray.train.get_context.get_world_rank ray.train.TrainContext.get_world_rank rank_source
composer.Trainer.fit = collective
composer.utils.dist.barrier = collective
mpi4py.MPI.COMM_WORLD.Barrier mpi4py.MPI.Comm.Barrier collective
mpi4py.MPI.COMM_WORLD.Split.bcast mpi4py.MPI.Comm.bcast collective
torch_xla.core.xla_model.rendezvous = collective
apex.parallel.DistributedDataParallel = wrapper
fairscale.optim.OSS.consolidate_state_dict = save_all_ranks
"""


@pytest.mark.parametrize(("written", "name", "kind"), zip(*[iter(LOOKUPS.split())] * 3))
def test_lookup(knowledge: Knowledge, written: str, name: str, kind: str) -> None:
    found = knowledge.lookup(written)
    assert found is not None
    assert (found.name, found.kind) == (written if name == "=" else name, kind)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "all_reduce",
        "numpy.sum",
        "foo.bar.baz",
        "torch",
        "torch.nn.Linear",
        "torch.distributed",
        "hvd.allreduce",
        "lightning.pytorch.Trainer.nothing",
    ],
)
def test_unknown_names(knowledge: Knowledge, name: str) -> None:
    assert knowledge.lookup(name) is None


def test_one_object_per_row(knowledge: Knowledge) -> None:
    assert knowledge.lookup("io.open") is knowledge.lookup("builtins.open")


def test_fields_of_a_row(knowledge: Knowledge) -> None:
    row = knowledge.lookup("torch.distributed.broadcast")
    assert row is not None
    assert (row.roles, row.root.name, row.root.position, row.group.name) == (
        ("collective", "sanitizer"),
        "src",
        1,
        "group",
    )
    assert row.framework == "torch"
    assert knowledge.note(row)


def test_tables_load_when_asked_for() -> None:
    fresh = load_knowledge({"torch"})
    assert set(fresh._tables) == {"torch", "files"}
    fresh.lookup("accelerate.Accelerator.gather")
    assert "accelerate" in fresh._tables
    assert "lightning" not in fresh._tables


# ---- classes, attributes, hooks ----


def test_bases(knowledge: Knowledge) -> None:
    assert knowledge.bases("transformers.Seq2SeqTrainer") == ("transformers.Trainer",)
    assert knowledge.bases("torchmetrics.Accuracy") == ("torchmetrics.Metric", "torch.nn.Module")
    assert knowledge.bases("pytorch_lightning.callbacks.EarlyStopping") == ("lightning.pytorch.Callback",)
    assert knowledge.bases("foo.Bar") == ()


def test_is_class(knowledge: Knowledge) -> None:
    assert knowledge.is_class("accelerate.Accelerator")
    assert knowledge.is_class("pytorch_lightning.LightningModule")
    assert knowledge.is_class("torchmetrics.text.BLEUScore")
    assert not knowledge.is_class("torch.distributed.all_reduce")
    assert not knowledge.is_class("torchmetrics.functional.accuracy")


def test_methods_of(knowledge: Knowledge) -> None:
    methods = knowledge.methods_of("transformers.Seq2SeqTrainer")
    assert methods["evaluate"].kind == "collective"
    assert methods["is_world_process_zero"].kind == "rank_predicate"
    assert all("." not in name for name in methods)


def test_type_of(knowledge: Knowledge) -> None:
    assert knowledge.type_of("pytorch_lightning.Trainer.strategy") == "lightning.pytorch.strategies.Strategy"
    assert knowledge.type_of("trl.SFTTrainer.accelerator") == "accelerate.Accelerator"
    assert knowledge.type_of("pathlib.Path.parent") == "pathlib.Path"
    assert knowledge.type_of("transformers.AutoModel.from_pretrained") == "transformers.AutoModel"
    assert knowledge.type_of("foo.Bar.baz") is None


def test_hooks(knowledge: Knowledge) -> None:
    assert "validation_step" in knowledge.hooks("pytorch_lightning.LightningModule")
    assert "on_train_epoch_end" in knowledge.hooks("lightning.pytorch.callbacks.EarlyStopping")
    assert "on_save" in knowledge.hooks("transformers.TrainerCallback")
    assert "compute_loss" in knowledge.hooks("transformers.Seq2SeqTrainer")
    assert "after_train_epoch" in knowledge.hooks("mmengine.hooks.Hook")
    assert "forward" in knowledge.hooks("torch.nn.Module")
    assert knowledge.hooks("foo.Bar") == frozenset()


def test_ranks_and_parameters_of_hooks(knowledge: Knowledge) -> None:
    assert knowledge.hook_ranks("lightning.LightningDataModule", "prepare_data") == "local_zero"
    assert knowledge.hook_ranks("lightning.LightningDataModule", "setup") == "all"
    assert knowledge.hook_ranks("mmengine.evaluator.BaseMetric", "compute_metrics") == "zero"
    assert knowledge.hook_params("pytorch_lightning.Callback")["trainer"] == "lightning.pytorch.Trainer"


# ---- files and values ----


@pytest.mark.parametrize(
    ("name", "effect", "path"),
    [
        ("builtins.open", "read", ("file", 0)),
        ("os.makedirs", "create_dir", ("name", 0)),
        ("os.unlink", "delete", ("path", 0)),
        ("shutil.rmtree", "delete", ("path", 0)),
        ("pathlib.Path.mkdir", "create_dir", ("self", None)),
        ("pathlib.PosixPath.write_text", "write", ("self", None)),
        ("pathlib.Path.parent.mkdir", "create_dir", ("self", None)),
        ("torch.save", "write", ("f", 1)),
        ("torch.load", "read", ("f", 0)),
        ("safetensors.torch.save_file", "write", ("filename", 1)),
        ("huggingface_hub.snapshot_download", "download", ("local_dir", None)),
        ("torchvision.datasets.CIFAR10", "download", ("root", 0)),
        ("torch.utils.tensorboard.SummaryWriter", "tracker", ("log_dir", 0)),
        ("transformers.PreTrainedModel.save_pretrained", "write", ("save_directory", 0)),
        ("datasets.load_dataset", "download", ("path", 0)),
    ],
)
def test_file_effects(knowledge: Knowledge, name: str, effect: str, path: tuple[str, int | None]) -> None:
    row = knowledge.lookup(name)
    assert row is not None
    assert (row.effect, (row.path.name, row.path.position)) == (effect, path)


def test_file_rows_keep_the_role_of_the_framework(knowledge: Knowledge) -> None:
    row = knowledge.lookup("torch.save")
    assert row is not None
    assert (row.kind, row.framework, row.effect) == ("save_rank0", "torch", "write")


@pytest.mark.parametrize(
    ("name", "mode", "effect"),
    [
        ("builtins.open", None, "read"),
        ("builtins.open", "rb", "read"),
        ("builtins.open", "w", "write"),
        ("builtins.open", "xb", "write"),
        ("builtins.open", "a", "append"),
        ("builtins.open", "+w", "write"),
        ("builtins.open", "+a", "append"),
        ("builtins.open", "r+", "append"),
        ("tarfile.open", "w:gz", "write"),
        ("tarfile.open", "r:gz", "read"),
        ("tarfile.open", "r:xz", "read"),
        ("tarfile.open", "w|xz", "write"),
        ("numpy.memmap", None, "read"),
        ("numpy.memmap", "r+", "append"),
        ("os.remove", "w", "delete"),
    ],
)
def test_mode_decides(knowledge: Knowledge, name: str, mode: str | None, effect: str) -> None:
    row = knowledge.lookup(name)
    assert row is not None
    assert row.effect_of(mode) == effect


def test_any_method(knowledge: Knowledge) -> None:
    row = knowledge.any_method("save_pretrained")
    assert row is not None
    assert (row.kind, row.effect, row.path.name) == ("save_rank0", "write", "save_directory")
    assert knowledge.any_method("save") is None
    assert knowledge.any_method("open") is None


@pytest.mark.parametrize(
    ("name", "varying", "uniform"),
    [
        ("time.time", "clock", False),
        ("datetime.datetime.now", "clock", False),
        ("random.random", "random", False),
        ("torch.rand", "random", False),
        ("uuid.uuid4", "random", False),
        ("os.path.exists", "filesystem", False),
        ("pathlib.Path.exists", "filesystem", False),
        ("os.getpid", "host", False),
        ("torch.cuda.memory_allocated", "load", False),
        ("torch.cuda.is_available", "", True),
        ("builtins.isinstance", "", True),
    ],
)
def test_values(knowledge: Knowledge, name: str, varying: str, uniform: bool) -> None:
    found = knowledge.value(name)
    assert found is not None
    assert (found.varying, found.uniform) == (varying, uniform)


@pytest.mark.parametrize("name", ["math.sqrt", "torch.zeros", "os.path.join", "foo.bar"])
def test_values_that_no_row_names(knowledge: Knowledge, name: str) -> None:
    assert knowledge.value(name) is None


def test_environment(knowledge: Knowledge) -> None:
    row = knowledge.env("LOCAL_RANK")
    assert row is not None
    assert row.rank == "local"
    nobody = knowledge.env("NCCL_TIMEOUT")
    assert nobody is not None
    assert nobody.status == "no_effect"
    assert "timedelta" in knowledge.note(nobody)
    assert knowledge.env("PATH") is None


# ---- names of the user's own ----


def test_extended(knowledge: Knowledge) -> None:
    own = knowledge.extended(
        collectives=["myproj.dist.all_mean", "*.my_gather"],
        rank_predicates=["myproj.dist.am_i_first"],
        sanitizers=["myproj.dist.agree"],
        rank_zero_decorators=["myproj.dist.only_first"],
    )

    def roles(row: Api | None) -> tuple[str, ...]:
        return row.roles if row is not None else ()

    assert roles(own.lookup("myproj.dist.all_mean")) == ("collective",)
    assert roles(own.any_method("my_gather")) == ("collective",)
    assert roles(own.lookup("myproj.dist.am_i_first")) == ("rank_predicate",)
    assert roles(own.lookup("myproj.dist.agree")) == ("collective", "sanitizer")
    assert roles(own.lookup("myproj.dist.only_first")) == ("rank_zero_decorator",)
    assert roles(own.lookup("torch.distributed.barrier")) == ("collective",)
    assert knowledge.lookup("myproj.dist.all_mean") is None
    assert knowledge.any_method("my_gather") is None
