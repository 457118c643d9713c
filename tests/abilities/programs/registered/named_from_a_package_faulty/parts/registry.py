KNOWN = {}


def register(name):
    def put(made):
        KNOWN[name] = made
        return made

    return put
