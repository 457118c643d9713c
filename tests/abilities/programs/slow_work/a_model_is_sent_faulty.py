from accelerate import Accelerator
from transformers import AutoModelForCausalLM, AutoTokenizer

accelerator = Accelerator()
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
if accelerator.is_main_process:
    tokenizer.push_to_hub("me/model")
    model.push_to_hub("me/model")  # expect: DDP402
accelerator.wait_for_everyone()
