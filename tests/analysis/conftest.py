"""The programs of these tests belong to no project."""

from tests.outside import empty_project as empty_project
from tests.outside import outside as outside
