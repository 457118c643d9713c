"""Settings, which a file may replace."""

from yacs.config import CfgNode

options = CfgNode()
options.DEBUG = True


def read_into(node, file):
    """Read the settings of a file into a node."""
    node.defrost()
    node.merge_from_file(file)
    node.freeze()
