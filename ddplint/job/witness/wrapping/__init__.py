"""What is put around functions of torch and Python so that each call becomes a step, and how it gets there.

May never raise into the program, and never wait.
"""
