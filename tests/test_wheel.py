"""What users of Python get: the source package, the wheel made from it, and a demo from that wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def build(folder: Path, target: str, into: Path) -> Path:
    """Build one target of the project in `folder` and return the file."""
    pytest.importorskip("hatchling", reason="the build tools are not installed: `make test` does")
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (built,) = into.iterdir()
    return built


@pytest.fixture(scope="module")
def source_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source package of this checkout."""
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(source_package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source package, unpacked."""
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(source_package) as archive:
        archive.extractall(place, filter="data")
    (folder,) = place.iterdir()
    return folder


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that the source package gives, as an installer makes it."""
    return build(unpacked, "wheel", tmp_path_factory.mktemp("wheel"))


def files(folder: Path, pattern: str = "*") -> set[str]:
    """The files below a folder, without what Python compiled."""
    found = (path for path in folder.rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in found}


def test_the_wheel_holds_the_package_and_the_templates_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {f"benchaudit/{name}" for name in files(ROOT / "benchaudit")}
    assert names == package | {f"benchaudit/templates/{name}" for name in files(ROOT / "templates")}


def test_the_wheel_is_the_same_bytes_from_the_checkout_and_from_the_source_package(
    wheel: Path, tmp_path: Path
) -> None:
    assert build(ROOT, "wheel", tmp_path).read_bytes() == wheel.read_bytes()


def test_the_source_package_holds_what_its_tests_need(unpacked: Path) -> None:
    for name in ("action.yml", "Dockerfile", "Makefile", "README.md", ".github/workflows/ci.yml"):
        assert (unpacked / name).is_file(), name
    for folder in ("tests", "docs", "requirements"):
        assert files(unpacked / folder) >= files(ROOT / folder, "*.py"), folder


def test_the_demo_runs_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """In an environment that has the libraries of this one, but of this project nothing but the wheel."""
    environment = tmp_path / "environment"
    venv.create(environment)
    site = Path(sysconfig.get_path("purelib", "venv", vars={"base": str(environment)}))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "libraries.pth").write_text("".join(f"{path}\n" for path in sorted(libraries)), encoding="utf-8")

    def python(*arguments: str) -> str:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run(
            [environment / "bin" / "python", *arguments],
            cwd=tmp_path,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert Path(python("-c", "import benchaudit; print(benchaudit.__file__)").strip()).is_relative_to(site)
    python("-m", "benchaudit", "demo")
    (report,) = (tmp_path / "demo" / "benchaudit-reports").glob("*/issue.md")
    assert "### Check it yourself" in report.read_text(encoding="utf-8")
