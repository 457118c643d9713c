class Task:
    known = {}

    def __init_subclass__(cls, name, **more):
        super().__init_subclass__(**more)
        Task.known[name] = cls
