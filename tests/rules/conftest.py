"""The programs of these tests belong to no project."""

from tests.apart import apart as apart
from tests.apart import nowhere as nowhere
