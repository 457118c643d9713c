from mmengine.dist import is_main_process
from mmengine.hooks import Hook


class FolderHook(Hook):
    def __init__(self, folder):
        self.folder = folder

    def tell(self, text):
        if is_main_process():
            print(text)
