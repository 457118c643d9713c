import os


class Writer:
    def __init__(self, folder):
        self.folder = folder

    def prepare(self):
        if not os.path.exists(self.folder):
            os.makedirs(self.folder)  # expect: DDP205
