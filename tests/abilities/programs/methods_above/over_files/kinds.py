from base import Writer


class TextWriter(Writer):
    def prepare(self):
        super().prepare()
        print("text")


class TableWriter(Writer):
    def prepare(self):
        super(TableWriter, self).prepare()
        print("table")
