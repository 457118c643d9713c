def counted(words):
    return {word: words.count(word) for word in words}
