from stores import Files, Memory


class Stores:
    @staticmethod
    def get(kind, folder):
        if kind == "files":
            return Files(folder)
        if kind == "memory":
            return Memory()
        raise ValueError(kind)
