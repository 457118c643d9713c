from setuptools import setup

setup(name="kit", package_dir={"kit": "."})
