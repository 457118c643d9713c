"""Options that come from the command line, from a file or from the environment: objects of the program's own classes."""
import json
from dataclasses import dataclass

import dacite
import torch.distributed as dist
from pydantic import BaseModel
from pydantic_settings import BaseSettings
from simple_parsing import ArgumentParser
from tap import Tap


def meet():
    dist.barrier()


@dataclass
class Plan:
    steps: int = 100
    checked: bool = False

    @property
    def is_first(self):
        return dist.get_rank() == 0

    def leads(self):
        return self.is_first and self.steps > 0


class Wish(Tap):
    checked: bool = False

    def process_args(self):
        self.first = dist.get_rank() == 0

    def leads(self):
        return dist.get_rank() == 0


class Surroundings(BaseSettings):
    checked: bool = False

    @property
    def leads(self):
        return dist.get_rank() == 0


class Sheet(BaseModel):
    checked: bool = False

    @property
    def leads(self):
        return dist.get_rank() == 0


def of_a_parser():
    parser = ArgumentParser()
    parser.add_argument("--name")
    parser.add_arguments(Plan, dest="plan")
    given = parser.parse_args()
    if given.plan.leads():
        meet()  # expect: DDP101


def of_a_parser_by_position():
    parser = ArgumentParser()
    parser.add_arguments(Plan, "plan")
    given, rest = parser.parse_known_args()
    plan: Plan = given.plan
    if plan.checked and plan.is_first:
        meet()  # expect: DDP101


def of_tap():
    wish = Wish().parse_args()
    if wish.leads():
        meet()  # expect: DDP101


def set_after_tap():
    wish = Wish(underscores_to_dashes=True).parse_args()
    if wish.checked and wish.first:
        meet()  # expect: DDP101


def of_the_environment():
    surroundings = Surroundings()
    if surroundings.checked:
        if surroundings.leads:
            meet()  # expect: DDP101


def of_a_file():
    with open("sheet.json") as file:
        sheet = Sheet.model_validate(json.load(file))
    if sheet.checked and dist.get_rank() == 0:
        meet()  # expect: DDP101


def of_a_text(text):
    sheet = Sheet.model_validate_json(text)
    if sheet.leads:
        meet()  # expect: DDP101


def of_a_dictionary(held):
    plan = dacite.from_dict(Plan, held)
    if plan.is_first:
        meet()  # expect: DDP101
