"""DDP112: keys and indexes that only some ranks have filled in, and that others read."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = (
    "import collections\nimport torch\nimport torch.distributed as dist\nfrom elsewhere import options, share, work\n"
    "dist.init_process_group()\nrank = dist.get_rank()\n"
)
FILLED = "{made}\nif rank == 0:\n    {filled}\n{then}\n"
CLASS = (
    "class Words:\n    def __init__(self):\n        self.index = {}\n    def build(self, corpus):\n"
    "        for word in corpus:\n            self.index[word] = len(self.index)\n"
    "    def encode(self, text):\n        return [self.index[word] for word in text.split()]\n"
    "words = Words()\n"
)


def reported(text: str) -> list[str]:
    return [one.message for one in found_in(HEAD + text, "DDP112")]


@pytest.mark.parametrize(
    ("made", "filled", "then", "message"),
    [
        ("table = {}", "table['mean'] = work()", "print(table['mean'])", "table['mean'] is missing on ranks 1, 2, 3"),
        ("table = {'std': 1}", "table['mean'] = work()", "print(table['mean'])", "which raise KeyError here"),
        ("table = dict()", "table.update(mean=work())", "print(table['mean'])", "table['mean'] is missing"),
        ("names = []", "names.append(work())", "print(names[0])", "which raise IndexError here"),
        ("names = []", "names.append(work())", "dist.barrier()\nprint(names[-1])", "names[-1] is missing"),
        ("table = {}", "table[work()] = 1", "print(table[options.key])", "table[options.key] is missing"),
    ],
)
def test_what_some_ranks_have_filled_in_and_others_read(made: str, filled: str, then: str, message: str) -> None:
    found = reported(FILLED.format(made=made, filled=filled, then=then))
    assert len(found) == 1
    assert message in found[0]


@pytest.mark.parametrize(
    "built", ["if rank == 0:\n    words.build(open('corpus'))\n", "first(words.build, open('corpus'))\n"]
)
def test_an_object_that_some_ranks_have_filled(built: str) -> None:
    first = "def first(function, *args):\n    if rank == 0:\n        function(*args)\n    dist.barrier()\n"
    assert len(reported(first + CLASS + built + "print(words.encode('a b'))\n")) == 1


@pytest.mark.parametrize(
    ("made", "filled", "then"),
    [
        ("table = {}", "table['mean'] = work()", "if rank == 0:\n    print(table['mean'])"),
        ("table = {}", "table['mean'] = work()", "if 'mean' in table:\n    print(table['mean'])"),
        ("table = {}", "table['mean'] = work()", "if table:\n    print(table['mean'])"),
        ("table = {}", "table['mean'] = work()", "print(table.get('mean'))"),
        ("table = {}", "table['mean'] = work()", "print(table.setdefault('mean', 1), table['mean'])"),
        ("table = {}", "table['mean'] = work()", "try:\n    print(table['mean'])\nexcept KeyError:\n    pass"),
        ("table = {}", "table['mean'] = work()", "table['mean'] = 1\nprint(table['mean'])"),
        ("table = {}", "table['mean'] = work()", "table = share(table)\nprint(table['mean'])"),
        ("table = {}", "table['mean'] = work()", "share(table)\nprint(table['mean'])"),
        ("table = {}", "table['mean'] = work()", "share(to=table)\nprint(table['mean'])"),
        (
            "table = {}",
            "table['mean'] = work()",
            "box = [table]\ndist.broadcast_object_list(box)\nprint(box[0]['mean'])",
        ),
        ("table = {}", "table['mean'] = work()", "if rank != 0:\n    table['mean'] = 0\nprint(table['mean'])"),
        (
            "table = {}",
            "table['mean'] = work()",
            "if rank != 0:\n    table.update(torch.load('x'))\nprint(table['mean'])",
        ),
        ("table = {'mean': 0}", "table['mean'] = work()", "print(table['mean'])"),
        ("table = {options.key: 0}", "table['mean'] = work()", "print(table['mean'])"),
        ("table = collections.defaultdict(int)", "table['mean'] = work()", "print(table['mean'])"),
        ("table = collections.Counter()", "table['mean'] = work()", "print(table['mean'])"),
        (
            "class Own(dict):\n    def __missing__(self, key):\n        return 0\ntable = Own()",
            "table['mean'] = work()",
            "print(table['mean'])",
        ),
        ("names = []", "names.append(work())", "dist.broadcast_object_list(names)\nprint(names[0])"),
        ("names = []", "names.append(work())", "if len(names) > 0:\n    print(names[0])"),
        ("names = []", "names.append(work())", "print(names[:1])"),
        ("names = [1]", "names.append(work())", "print(names[0], names[-1])"),
        ("names = work()", "names.append(work())", "print(names[0])"),
        ("table = work()", "table['mean'] = 1", "print(table['mean'])"),
        ("names = [None]", "names[0] = work()", "print(names[0])"),
        ("names = []", "names.append(work())", "for name in names:\n    print(names[0])"),
    ],
)
def test_look_alikes(made: str, filled: str, then: str) -> None:
    assert reported(FILLED.format(made=made, filled=filled, then=then)) == []


@pytest.mark.parametrize(
    "text",
    [
        CLASS + "words.build(open('corpus'))\nprint(words.encode('a b'))\n",
        CLASS + "if rank == 0:\n    words.build(open('corpus'))\n    print(words.encode('a b'))\n",
        CLASS
        + "if rank == 0:\n    words.build(open('corpus'))\nelse:\n    words.build(['a'])\nprint(words.encode('a b'))\n",
        CLASS
        + "if rank == 0:\n    words.build(open('c'))\nbox = [words]\ndist.broadcast_object_list(box)\nprint(box[0].encode('a'))\n",
        CLASS
        + "if rank == 0:\n    words.build(open('c'))\nwords.index = share(words.index)\nprint(words.encode('a'))\n",
        CLASS + "def test():\n    if rank == 0:\n        words.build([])\n    return words.encode(options.text)\n",
    ],
)
def test_look_alikes_of_objects(text: str) -> None:
    assert reported(text) == []
