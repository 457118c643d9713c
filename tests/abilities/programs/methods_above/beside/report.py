from parts import Both


class Report(Both):
    def write(self, path, what):
        super().write(path, {"kind": "report", **what})
