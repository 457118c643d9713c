import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

dist.init_process_group("gloo")
model = torch.nn.Linear(2, 2)
dcp.save(model.state_dict(), storage_writer=dcp.FileSystemWriter("weights"))
dcp.load(model.state_dict(), storage_reader=dcp.FileSystemReader("weights"))
dist.destroy_process_group()
