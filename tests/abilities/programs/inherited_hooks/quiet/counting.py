from base import FolderHook


class CountHook(FolderHook):
    def after_train_epoch(self, runner):
        self.count = getattr(self, "count", 0) + 1
