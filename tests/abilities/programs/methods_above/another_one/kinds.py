from base import Writer


class TextWriter(Writer):
    def prepare(self):
        print("in memory")

    def close(self):
        super().close()
