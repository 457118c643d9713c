from stores import Files


def make_store(folder):
    store = Files(folder)
    print(store)
    return store
