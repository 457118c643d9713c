"""DDP201: programs that every rank starts, and what every rank removes that it finds in a folder."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

USUAL = (
    "import argparse\nimport glob\nimport os\nimport shutil\nimport subprocess\nimport sys\nfrom pathlib import Path\n"
    "out = argparse.ArgumentParser().parse_args().out\n"
)

FIRES = {
    "a build": "subprocess.run(['make', '-C', 'csrc'], check=True)\n",
    "a build in a shell": "os.system('cd csrc && make')\n",
    "a build by Python": "subprocess.check_call([sys.executable, 'setup.py', 'build_ext', '--inplace'])\n",
    "unpacking": "subprocess.check_call(f'unzip data.zip -d {out}', shell=True)\n",
    "unpacking with tar": "subprocess.run(['tar', '-xzf', 'data.tgz'])\n",
    "a copy": "os.system('cp config.yaml %s/' % out)\n",
    "a clone": "subprocess.run(['git', 'clone', 'https://a.b/c', out])\n",
    "a download": "subprocess.call(['wget', '-O', 'x.bin', 'https://a.b/x'])\n",
    "a build, with more arguments": "subprocess.run(['make', '-j', '8'], check=True, text=True, cwd='csrc')\n",
    "a compiler at its work": "subprocess.check_call(['nvcc', '-v', '-o', 'a.so', 'a.cu'], env=None)\n",
    "a question before the build": "subprocess.run('gcc --version && make', shell=True)\n",
    "a command by its keyword": "subprocess.run(args=['unzip', '-o', 'data.zip'], check=True)\n",
    "unpacking through a pipe into a file": "os.system('gunzip -c data.gz > data')\n",
    "what was found": "for path in Path(out).glob('*.pt'):\n    path.unlink()\n",
    "what was found by a pattern": "for path in glob.glob(f'{out}/*.pt'):\n    os.remove(path)\n",
    "the oldest of what was found": "old = sorted(Path(out).glob('step*'))\nshutil.rmtree(old[0])\n",
}

SILENT = {
    "a part of a name that is replaced": "for path in Path(out).rglob('*.wav'):\n    str(path).replace('a', 'b')\n",
    "a build by one": "if rank == 0:\n    subprocess.run(['make', '-C', 'csrc'], check=True)\n",
    "a question": "subprocess.check_output(['git', 'rev-parse', 'HEAD'])\n",
    "another question": "os.system('nvidia-smi')\n",
    "a version": "subprocess.run(['nvcc', '--version'])\n",
    "a version, in short": "subprocess.check_output(['/usr/local/cuda/bin/nvcc', '-V'])\n",
    "a version, with more arguments": (
        "home = os.environ.get('CUDA_HOME')\n"
        "subprocess.check_output([home + '/bin/nvcc', '-V'], universal_newlines=True, stderr=subprocess.STDOUT)\n"
    ),
    "which compiler": "subprocess.run('gcc -dumpversion', shell=True, capture_output=True)\n",
    "where the compiler looks": "subprocess.check_output(['g++', '-print-search-dirs'], text=True)\n",
    "what would be made": "subprocess.run(['make', '-n', 'all'], cwd=out)\n",
    "what an archive holds": "subprocess.check_output(['unzip', '-l', 'data.zip'], text=True)\n",
    "whether there is such a page": "subprocess.run(['wget', '--spider', '-q', 'https://a.b/x'])\n",
    "a download to nowhere": "os.system('curl -o /dev/null -s https://a.b/x')\n",
    "the version of a package": "subprocess.check_output([sys.executable, 'setup.py', '--version'])\n",
    "a folder that may be there": "os.system(f'mkdir -p {out}')\n",
    "a copy of its own": "os.system(f'cp log {out}/log.{rank}')\n",
    "a build of its own": "subprocess.run(['make', '-C', f'build{rank}'])\n",
    "a download to the output": "subprocess.run('curl https://a.b/x', shell=True)\n",
    "an archive that is listed": "subprocess.run(['tar', 'tf', 'data.tgz'])\n",
    "removed by one": "if rank == 0:\n    for path in Path(out).glob('*.pt'):\n        path.unlink()\n",
    "its share of what was found": "for path in sorted(Path(out).glob('*.pt'))[rank::4]:\n    path.unlink()\n",
    "found in a folder of its own": "for path in (Path(out) / f'r{rank}').glob('*.pt'):\n    path.unlink()\n",
    "found by a pattern of its own": "for path in glob.glob(f'{out}/{rank}/*'):\n    os.remove(path)\n",
    "its own by the number": "for path in Path(out).glob('*.pt'):\n    if int(path.stem) == rank:\n        path.unlink()\n",
    "gone already": "for path in Path(out).glob('*.pt'):\n    path.unlink(missing_ok=True)\n",
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert findings(USUAL + FIRES[name], "DDP201"), name


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not findings(USUAL + SILENT[name], "DDP201"), name


def test_a_command_is_named() -> None:
    (found,) = findings(USUAL + FIRES["a build in a shell"], "DDP201")
    assert found.message == "every rank runs `make` for the same files (os.system)"
