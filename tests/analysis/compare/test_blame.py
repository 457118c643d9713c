"""A difference is told where it arises, and not also where the ranks had parted before and met again."""

from __future__ import annotations

from tests.rules.support import findings

TURNS = """
from contextlib import contextmanager

@contextmanager
def first_goes_first():
    if rank != 0:
        dist.barrier()
    yield
    if rank == 0:
        dist.barrier()

def load(path):
    with first_goes_first():
        try:
            return torch.load(path)
        finally:
            print(path)

def train(path, epochs, last, check):
    for epoch in range(epochs):
        if epoch == last:
            load(path)
        {step}

train("data", int(input()), int(input()), input() == "y")
"""


def test_the_turns_before_are_not_to_blame() -> None:
    program = TURNS.format(step="if rank == 0 and check:\n            dist.all_reduce(x)")
    (finding,) = findings(program, "DDP101")
    assert finding.message == "all_reduce reached by rank 0 only"


def test_each_of_two_faults_is_told() -> None:
    program = "if rank == 0:\n    dist.barrier()\nif rank == 1:\n    dist.all_reduce(x)\n"
    assert len(findings(program, "DDP101")) == 2


def test_no_fault() -> None:
    assert findings(TURNS.format(step="dist.all_reduce(x)"), "DDP1") == []


def test_the_fault_behind_the_turns_is_told() -> None:
    program = (
        "if rank != 0:\n    dist.barrier()\nprint(x)\nif rank == 0:\n    dist.barrier()\n"
        "if rank == 0:\n    dist.all_reduce(x)\n"
    )
    (finding,) = findings(program, "DDP101")
    assert finding.message == "all_reduce reached by rank 0 only"


def test_a_fault_between_the_turns_is_told() -> None:
    program = TURNS.format(step="pass") + (
        "with first_goes_first():\n    [dist.barrier() for _ in range(2) if rank & 1]\n"
    )
    assert "barrier reached by ranks 1, 3 only" in [finding.message for finding in findings(program, "DDP101")]


IN_TURN = """
from transformers import Seq2SeqTrainingArguments


def load_one(source, model_args, data_args, training_args):
    if source.num_samples is not None and (not data_args.streaming):
        indexes = np.random.permutation(len(samples))[:wanted]
        assert len(indexes) == source.num_samples, "too few"
        samples = samples.select(indexes)


def load(names, model_args, data_args, training_args, stage):
    if names is None:
        return None
    found = []
    for source in get_sources(names, data_args.folder):
        if stage == "rm" and source.ranking is False or (stage != "rm" and source.ranking is True):
            raise ValueError("not applicable")
        found.append(load_one(source, model_args, data_args, training_args))
    return merge(found, data_args, seed=training_args.seed)


def preprocess(samples, data_args, training_args, stage, template, is_eval=False):
    if samples is None:
        return None
    generate = training_args.predict_with_generate and is_eval
    function, show = get_functions(data_args, stage, template, do_generate=generate)
    if training_args.should_log:
        try:
            show(next(iter(samples)))
        except StopIteration:
            raise RuntimeError("no samples")


def get_dataset(model_args, data_args, training_args: "Seq2SeqTrainingArguments", stage, tokenizer):
    template = get_template(tokenizer, data_args.template, data_args.tool)
    if data_args.path is not None:
        if has_data(data_args.path):
            return samples
    with training_args.main_process_first(desc="load"):
        train = load(data_args.train, model_args, data_args, training_args, stage)
        valid = load(data_args.valid, model_args, data_args, training_args, stage)
    with training_args.main_process_first(desc="prepare"):
        train = preprocess(train, data_args, training_args, stage, template, is_eval=False)
        valid = preprocess(valid, data_args, training_args, stage, template, is_eval=True)
"""


def test_who_leaves_behind_a_wait_answers_it_on_the_way() -> None:
    assert findings(IN_TURN, "DDP101") == []
    missed = IN_TURN + "    if training_args.should_log:\n        dist.barrier()\n"
    assert len(findings(missed, "DDP101")) == 1


ON_RANK_ZERO = """
import functools

def rank_zero_only(function):
    @functools.wraps(function)
    def wrapped(*args):
        if dist.get_rank() != 0:
            return None
        return function(*args)
    return wrapped

@rank_zero_only
def save():
    dist.barrier()
"""

ONE_ROUND_MORE = """
for item in range(2 if rank == 0 else 1):
    dist.all_reduce(x)
save()
"""


def test_who_has_left_for_good_is_not_to_blame_for_a_round_too_many() -> None:
    assert len(findings(ON_RANK_ZERO + ONE_ROUND_MORE, "DDP103")) == 1
    assert len(findings(ON_RANK_ZERO + ONE_ROUND_MORE, "DDP101")) == 1


GUARDED_TWICE = """
def rank_zero_alone(function):
    def wrapped(*args):
        if dist.get_rank() != 0:
            return None
        return function(*args)
    return wrapped

@rank_zero_alone
def save_again():
    save()

save()
save_again()
"""


def test_each_place_where_ranks_leave_is_to_blame_for_itself() -> None:
    assert len(findings(ON_RANK_ZERO + GUARDED_TWICE, "DDP101")) == 2
