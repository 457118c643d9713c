"""What a rule may ask of a walk and of the code: how many ranks, in which order, of which file."""

from __future__ import annotations

from ddplint.analysis.facts import calls
from ddplint.analysis.facts.calls import (
    BACKWARD,
    INIT,
    GroupCall,
    call_alone,
    calls_of,
    is_made_by_one_of_several,
    is_number,
    last_name,
    name_words,
    place_and_caller,
)
from ddplint.analysis.facts.early_uses import used_early
from ddplint.analysis.facts.files import command_targets, existence
from ddplint.analysis.facts.files.changing import changes_meanwhile
from ddplint.analysis.facts.files.existence import ends_in_raise, passed_over, takes_some
from ddplint.analysis.facts.files.unguarded import LOGS, unguarded
from ddplint.analysis.facts.files.writers import Writers
from ddplint.analysis.facts.handlers import at_the_end, is_caught
from ddplint.analysis.facts.in_flight import lets_be, tensors_given, with_their_lists
from ddplint.analysis.facts.kinds_of_numbers import unequal_kinds
from ddplint.analysis.facts.named_loops import dictionary_of
from ddplint.analysis.facts.other_arms import calls_in_other_arm, other_arm
from ddplint.analysis.facts.own_fields import asks_for_fields
from ddplint.analysis.facts.own_samplers import own_samplers, shuffles_itself, waits_for
from ddplint.analysis.facts.padding import is_padded_by_itself, selected_by_each, shaped_by_each, stacked_unevenly
from ddplint.analysis.facts.passes import SAMPLER, Drawing, Pass, around, made_by, passes, sampler_of, shuffles, trains
from ddplint.analysis.facts.ranks import numbering
from ddplint.analysis.facts.ranks.compared_texts import compared_as_text
from ddplint.analysis.facts.ranks.device_numbers import (
    Misnumbered,
    has_own,
    misnumbered,
    number_of,
    numbers_of_node,
    pinned,
)
from ddplint.analysis.facts.ranks.devices import (
    asks_the_current_device,
    asks_the_group,
    backend_of,
    bindings,
    with_its_test,
)
from ddplint.analysis.facts.ranks.known_to_all import checks_what_all_have
from ddplint.analysis.facts.ranks.launched import is_from_launcher
from ddplint.analysis.facts.ranks.left_out import stands_in
from ddplint.analysis.facts.ranks.multiplicity import alone_by_choice, is_of_one_process, is_test
from ddplint.analysis.facts.ranks.node_guards import (
    asked_elsewhere,
    given_local_ranks,
    is_by_first_of_node,
    local_guard,
    passed_ranks,
)
from ddplint.analysis.facts.ranks.numbering import is_local, is_local_by_name, is_written_out, of_a_node, too_large
from ddplint.analysis.facts.ranks.order import always_after, always_before
from ddplint.analysis.facts.ranks.written_down import is_written_down
from ddplint.analysis.facts.received import lost_and_read
from ddplint.analysis.facts.sites import is_around, made_at
from ddplint.analysis.facts.threads import in_threads
from ddplint.analysis.facts.wrappers.asked import Asked, asked_of_wrapper
from ddplint.analysis.memory.shares.tried_rounds import meet as meet_in_a_round
from ddplint.analysis.models.data.sharing import SHARD
from ddplint.analysis.models.python.sums import minutes_of
from ddplint.analysis.trace import paths, uniformity
from ddplint.analysis.trace.targets import is_path
from ddplint.analysis.trace.uniformity import agree, parts
from ddplint.util.kept import kept

__all__ = [
    "made_at",
    "calls_in_other_arm",
    "unequal_kinds",
    "used_early",
    "BACKWARD",
    "INIT",
    "SHARD",
    "LOGS",
    "SAMPLER",
    "GroupCall",
    "Misnumbered",
    "Pass",
    "Writers",
    "agree",
    "alone_by_choice",
    "always_after",
    "always_before",
    "around",
    "asked_elsewhere",
    "Asked",
    "asked_of_wrapper",
    "asks_for_fields",
    "asks_the_current_device",
    "asks_the_group",
    "at_the_end",
    "backend_of",
    "bindings",
    "calls",
    "calls_of",
    "dictionary_of",
    "changes_meanwhile",
    "existence",
    "checks_what_all_have",
    "ends_in_raise",
    "given_local_ranks",
    "has_own",
    "in_threads",
    "is_caught",
    "is_from_launcher",
    "is_written_down",
    "is_local",
    "is_local_by_name",
    "is_made_by_one_of_several",
    "is_number",
    "is_padded_by_itself",
    "is_path",
    "is_of_one_process",
    "is_test",
    "is_written_out",
    "kept",
    "last_name",
    "lets_be",
    "is_around",
    "is_by_first_of_node",
    "local_guard",
    "lost_and_read",
    "Drawing",
    "made_by",
    "own_samplers",
    "shuffles_itself",
    "waits_for",
    "meet_in_a_round",
    "minutes_of",
    "misnumbered",
    "name_words",
    "number_of",
    "numbering",
    "numbers_of_node",
    "of_a_node",
    "other_arm",
    "parts",
    "passed_over",
    "passed_ranks",
    "passes",
    "paths",
    "command_targets",
    "compared_as_text",
    "pinned",
    "call_alone",
    "place_and_caller",
    "sampler_of",
    "shuffles",
    "selected_by_each",
    "shaped_by_each",
    "stacked_unevenly",
    "stands_in",
    "takes_some",
    "too_large",
    "trains",
    "unguarded",
    "uniformity",
    "with_its_test",
    "tensors_given",
    "with_their_lists",
]
