import os


class Files:
    def __init__(self, folder):
        self.folder = folder

    def open(self):
        if not os.path.exists(self.folder):
            os.mkdir(self.folder)


class Memory:
    def open(self):
        print("nothing to open")
