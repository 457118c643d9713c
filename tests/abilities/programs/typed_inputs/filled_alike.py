"""What all ranks are given alike, and what is set in the program itself."""
import json
from dataclasses import dataclass

import dacite
import torch.distributed as dist
from pydantic import BaseModel
from pydantic_settings import BaseSettings
from simple_parsing import ArgumentParser
from tap import Tap


@dataclass
class Plan:
    steps: int = 100
    checked: bool = False

    def leads(self):
        return self.steps > 10


class Wish(Tap):
    checked: bool = False

    def process_args(self):
        self.often = not self.checked


class Surroundings(BaseSettings):
    checked: bool = False
    local_rank: int = 0


class Sheet(BaseModel):
    checked: bool = False


def of_a_parser():
    parser = ArgumentParser()
    parser.add_arguments(Plan, dest="plan")
    given = parser.parse_args()
    if given.plan.leads():
        dist.barrier()
    if given.other.leads():
        dist.barrier()


def of_tap():
    wish = Wish().parse_args()
    if wish.checked or wish.often:
        dist.barrier()


def of_the_environment():
    if Surroundings().checked:
        dist.barrier()


def of_a_file():
    with open("sheet.json") as file:
        sheet = Sheet(**json.load(file))
    if sheet.checked:
        dist.barrier()
    if not Sheet.model_validate(json.loads("{}")).checked:
        dist.barrier()


def of_a_dictionary(held):
    for _ in range(dacite.from_dict(Plan, held).steps):
        dist.barrier()
