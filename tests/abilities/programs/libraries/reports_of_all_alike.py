"""All ranks make the report, one prints it."""

from datetime import timedelta

import torch.distributed as dist
from nvidia_resiliency_ext import straggler


def main(model, batches) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    straggler.Detector.initialize(gather_on_rank0=True)
    for step, batch in enumerate(batches):
        with straggler.Detector.detection_section("pass"):
            model(batch)
        if step % 100 == 0:
            report = straggler.Detector.generate_report()
            if dist.get_rank() == 0:
                print(report.identify_stragglers())
    straggler.Detector.shutdown()
    dist.destroy_process_group()
