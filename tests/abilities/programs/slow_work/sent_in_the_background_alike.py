from accelerate import Accelerator
from huggingface_hub import HfApi, Repository, upload_folder

accelerator = Accelerator()
repo = Repository("out", clone_from="me/model")
for epoch in range(10):
    train(accelerator)
    if accelerator.is_main_process:
        repo.push_to_hub(commit_message=f"epoch {epoch}", blocking=False)
        upload_folder(repo_id="me/model", folder_path="out", run_as_future=True)
        HfApi().upload_folder(repo_id="me/model", folder_path="out", run_as_future=True)
    accelerator.wait_for_everyone()
