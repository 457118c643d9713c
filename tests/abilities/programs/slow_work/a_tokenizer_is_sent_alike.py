from accelerate import Accelerator
from datasets import Dataset
from transformers import AutoConfig, AutoProcessor, AutoTokenizer

accelerator = Accelerator()
tokenizer = AutoTokenizer.from_pretrained("gpt2")
processor = AutoProcessor.from_pretrained("gpt2")
config = AutoConfig.from_pretrained("gpt2")
if accelerator.is_main_process:
    tokenizer.push_to_hub("me/model")
    processor.push_to_hub("me/model")
    config.push_to_hub("me/model")
    Dataset.from_dict({"text": ["a", "b"]}).save_to_disk("samples")
accelerator.wait_for_everyone()
