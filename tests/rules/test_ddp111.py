"""DDP111 unequal-shapes."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, findings, found_in

START = """\
from torch.utils.data import DataLoader, DistributedSampler
data = torch.arange(9.0)
parts = [torch.zeros(1) for _ in range(4)]
for batch in DataLoader(data, sampler=DistributedSampler(data)):
"""

FIRES = {
    "a mask": "    dist.all_gather(parts, batch[batch > 3])\n",
    "a mask with a name": "    kept = batch[batch > 3]\n    dist.all_gather(parts, kept)\n",
    "a negated mask": "    bad = torch.isnan(batch)\n    dist.all_gather(parts, batch[~bad].contiguous())\n",
    "masked_select": "    dist.all_gather(parts, torch.masked_select(batch, batch > 3))\n",
    "nonzero": "    dist.all_gather(parts, batch.nonzero())\n",
    "unique": "    dist.all_gather(parts, torch.unique(batch))\n",
    "the tail of a mask": "    dist.all_gather(parts, batch[batch > 3][1:])\n",
    "texts": "    made = model.generate(batch, max_new_tokens=9)\n    dist.all_gather(parts, made)\n",
    "texts without the prompt": (
        "    made = model.generate(batch, num_beams=3, pad_token_id=tok.pad_token_id)\n"
        "    dist.all_gather(parts, made[:, batch.shape[1]:])\n"
    ),
    "texts beside padding of other things": (
        "    asked = tok.pad(batch)\n    made = model.generate(asked, max_new_tokens=9)\n    dist.all_gather(parts, made)\n"
    ),
    "texts under a name that was another": (
        "    made = batch\n    made = model.generate(made, max_new_tokens=9)\n    dist.all_gather(parts, made)\n"
    ),
    "texts by keyword": "    dist.all_gather(parts, model.generate(input_ids=batch, max_length=9).detach())\n",
    "texts of a helper": (
        "    def answers(rows):\n        return model.generate(rows, do_sample=True)\n"
        "    dist.all_gather(parts, answers(batch))\n"
    ),
    "texts of a dict": "    dist.all_gather(parts, model.generate(**batch).cpu())\n",
}

SILENT = {
    "the batch": "    dist.all_gather(parts, batch)\n",
    "an element": "    dist.all_gather(parts, batch[0])\n",
    "a slice": "    dist.all_gather(parts, batch[:3])\n",
    "a mean of the mask": "    dist.all_gather(parts, batch[batch > 3].mean())\n",
    "as objects": "    dist.all_gather_object(parts, batch[batch > 3])\n",
    "reduced": "    dist.all_reduce(batch[batch > 3].sum())\n",
    "padded": (
        "    kept = batch[batch > 3]\n    kept = nn.functional.pad(kept, (0, 9 - len(kept)))\n"
        "    dist.all_gather(parts, kept)\n"
    ),
    "indices": "    order = batch.argsort()\n    dist.all_gather(parts, batch[order])\n",
    "the same on all ranks": "    steps = torch.arange(9)\n    dist.all_gather(parts, steps[steps > 3])\n",
    "images": "    dist.all_gather(parts, model.generate(batch, steps=9))\n",
    "texts of one length": "    dist.all_gather(parts, model.generate(batch, min_new_tokens=9, max_new_tokens=9))\n",
    "texts cut to one length": "    dist.all_gather(parts, model.generate(batch, max_new_tokens=9)[:, :4])\n",
    "padded texts": (
        "    made = model.generate(batch, max_new_tokens=9)\n    made = pad_to(made, 9)\n    dist.all_gather(parts, made)\n"
    ),
    "texts filled into one length": (
        "    made = model.generate(batch, max_new_tokens=9)\n    whole = torch.zeros(4, 9)\n"
        "    whole[:, : made.shape[1]] = made\n    dist.all_gather(parts, whole)\n"
    ),
    "texts padded where they are short": (
        "    made = model.generate(batch, max_new_tokens=9)\n"
        "    if made.shape[1] < 9:\n        made = torch.cat([made, torch.zeros(4, 9 - made.shape[1])], dim=1)\n"
        "    dist.all_gather(parts, made)\n"
    ),
    "texts for what all ranks ask": "    dist.all_gather(parts, model.generate(x, max_new_tokens=9))\n",
    "as many texts": "    made = model.generate(batch, max_new_tokens=9)\n    dist.all_gather(parts, made[:, 0])\n",
    "assigned twice": ("    kept = batch[batch > 3]\n    kept = torch.zeros(9)\n    dist.all_gather(parts, kept)\n"),
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(START + program, "DDP111")
    assert finding.severity is Severity.WARNING
    assert finding.no_fix


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(START + program, "DDP111") == []


def test_of_several_tensors_gathered_together() -> None:
    program = """
from accelerate import Accelerator
accelerator = Accelerator()
model, loader = accelerator.prepare(model, loader)
for batch in loader:
    made = accelerator.unwrap_model(model).generate(batch["input_ids"], max_new_tokens=9)
    PAD
    made_of_all, labels = accelerator.gather((made, batch["labels"]))
"""
    told = at(program.replace("    PAD\n", ""), "DDP111")
    assert told == ['made_of_all, labels = accelerator.gather((made, batch["labels"]))']
    padded = program.replace("PAD", "made = accelerator.pad_across_processes(made, dim=1)")
    assert at(padded, "DDP111") == []


def test_of_what_lightning_gathers() -> None:
    program = """
import lightning.pytorch as pl
class Net(pl.LightningModule):
    def validation_step(self, batch, number):
        made = self.net.generate(batch["pixels"], max_new_tokens=9)
        of_all = self.all_gather(GIVEN)
"""
    assert len(found_in(program.replace("GIVEN", "made"), "DDP111")) == 1
    assert found_in(program.replace("GIVEN", "made.sum(dim=1)"), "DDP111") == []


BATCHES = """
from accelerate import Accelerator
from torch.nn import functional as F
accelerator = Accelerator()
model, loader = accelerator.prepare(model, loader)
for batch in loader:
    out = model(**batch)
    BODY
"""

OF_TOKENS = {
    "a column": 'accelerator.gather_for_metrics(batch["attention_mask"]).sum()',
    "a column under a name": 'ids = batch["input_ids"].contiguous()\n    accelerator.gather(ids)',
    "shifted logits": "accelerator.gather(out.logits[..., :-1, :].contiguous())",
    "shifted logits of some": "accelerator.gather(out.logits[:3, :-1, :])",
    "shifted labels": 'accelerator.gather(batch["labels"][..., 1:].detach())',
    "what the model takes for right": "accelerator.gather(out.logits[:, :-1, :].argmax(-1))",
    "reassigned": "shown = out.logits[..., :-1, :]\n    shown = accelerator.gather(shown)",
}
NOT_OF_TOKENS = {
    "of classes": "accelerator.gather(out.logits)",
    "all classes but one": "accelerator.gather(out.logits[..., :-1])",
    "their best": "accelerator.gather(out.logits.argmax(dim=-1))",
    "one label each": 'accelerator.gather(batch["labels"])',
    "summed": 'accelerator.gather_for_metrics(batch["attention_mask"].sum())',
    "a mean over the tokens": "accelerator.gather(out.logits[:, :-1, :].mean(dim=1))",
    "the last token": "accelerator.gather(out.logits[:, -1, :])",
    "the first tokens": 'accelerator.gather(batch["input_ids"][:, :9])',
    "the first": 'accelerator.gather(batch["input_ids"][:, 0])',
    "padded": 'accelerator.gather(accelerator.pad_across_processes(batch["input_ids"], dim=1))',
    "padded before": 'ids = F.pad(batch["input_ids"], (0, 9))\n    accelerator.gather(ids)',
    "to one length": 'accelerator.gather(batch["input_ids"])\nrows = tok(texts, padding="max_length")',
    "in blocks": 'accelerator.gather(batch["input_ids"])\nrows = raw.map(group_texts)',
    "nothing gathered": 'print(batch["input_ids"].shape)',
}


@pytest.mark.parametrize("body", OF_TOKENS.values(), ids=OF_TOKENS)
def test_one_element_for_each_token(body: str) -> None:
    (finding,) = findings(BATCHES.replace("BODY", body), "DDP111")
    assert "longest text" in finding.message


@pytest.mark.parametrize("body", NOT_OF_TOKENS.values(), ids=NOT_OF_TOKENS)
def test_as_many_on_each_rank(body: str) -> None:
    assert findings(BATCHES.replace("BODY", body), "DDP111") == []
