import os

NUMBER = int(os.environ["RANK"])
