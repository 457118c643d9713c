class Registry:
    def __init__(self, name):
        self.name = name
        self.known = {}

    def _add(self, made, name):
        if name in self.known:
            raise KeyError(f"{name} is already in {self.name}")
        self.known[name] = made

    def register(self, name=None):
        def put(made):
            self._add(made, name or made.__name__)
            return made

        return put

    def build(self, name, *args):
        if name not in self.known:
            raise KeyError(name)
        return self.known[name](*args)


TASKS = Registry("tasks")
