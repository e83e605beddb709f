# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import errno
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from small_disks import small_disk

from inertia_tools.errors import WriteError
from inertia_tools.write.temporary import NAME, create_temporary
from inertia_tools.write.whole import write_files, write_whole

OLD, NEW = b"old\n", b"new content\n"
is_root = os.geteuid() == 0
needs_root = pytest.mark.skipif(not is_root, reason="only root may make devices and give files away")


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_bytes(OLD)
    return path


@contextmanager
def mounted(folder: Path, options: str):
    """Mount a small file system in memory; skip where that is not permitted."""
    try:
        with small_disk(folder, options):
            yield folder
    except PermissionError as error:
        pytest.skip(str(error))


@pytest.fixture
def other_disk(tmp_path):
    with mounted(tmp_path / "disk", "size=256k") as folder:
        yield folder


# What is written


def test_new_file_and_replaced_file(tmp_path):
    write_whole(tmp_path / "a", OLD)
    write_whole(str(tmp_path / "a"), NEW)
    assert (tmp_path / "a").read_bytes() == NEW
    assert names(tmp_path) == {"a"}


def test_a_new_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "a", NEW)
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666, 0o222])
def test_mode_is_kept(file, mode):
    file.chmod(mode)
    if not is_root and not mode & 0o400:
        pytest.skip("cannot be read back")
    write_whole(file, NEW)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert file.read_bytes() == NEW


@needs_root
def test_owner_is_kept(file):
    os.chown(file, 12345, 23456)
    file.chmod(0o4750)
    write_whole(file, NEW)
    assert (file.stat().st_uid, file.stat().st_gid, stat.S_IMODE(file.stat().st_mode)) == (12345, 23456, 0o4750)


@needs_root
def test_a_group_that_cannot_be_kept_gets_no_more_than_everybody(file, monkeypatch):
    os.chown(file, 0, 23456)
    file.chmod(0o4674)

    def refuse(*_):
        raise PermissionError(errno.EPERM, "no")

    monkeypatch.setattr(os, "fchown", refuse)
    write_whole(file, NEW)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_extended_attributes_are_kept(file):
    try:
        os.setxattr(file, "user.origin", b"cad")
    except (OSError, AttributeError):
        pytest.skip("there are no extended attributes here")
    write_whole(file, NEW)
    assert os.getxattr(file, "user.origin") == b"cad"


def test_everything_reaches_the_disk_before_and_after_the_name(file, monkeypatch):
    steps = []
    replace, fsync = os.replace, os.fsync

    def note_flush(descriptor):
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    def note_replace(*paths):
        steps.append("replace")
        replace(*paths)

    monkeypatch.setattr(os, "fsync", note_flush)
    monkeypatch.setattr(os, "replace", note_replace)
    write_whole(file, NEW)
    assert steps == ["file", "replace", "folder"]


# Links


@pytest.mark.parametrize("there", [True, False])
def test_what_links_lead_to_is_replaced(tmp_path, there):
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    real = tmp_path / "real/robot.urdf"
    if there:
        real.write_bytes(OLD)
    (tmp_path / "links/second").symlink_to("../real/robot.urdf")
    (tmp_path / "links/first").symlink_to(tmp_path / "links/second")
    write_whole(tmp_path / "links/first", NEW)
    assert real.read_bytes() == NEW
    assert (tmp_path / "links/first").is_symlink()
    assert (tmp_path / "links/second").is_symlink()
    assert names(tmp_path / "real") == {"robot.urdf"}
    assert names(tmp_path / "links") == {"first", "second"}


def test_a_link_to_another_file_system(tmp_path, other_disk):
    (other_disk / "robot.urdf").write_bytes(OLD)
    (tmp_path / "link").symlink_to(other_disk / "robot.urdf")
    assert os.stat(tmp_path).st_dev != os.stat(other_disk).st_dev
    write_whole(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert (other_disk / "robot.urdf").read_bytes() == NEW
    assert names(other_disk) == {"robot.urdf"}


def test_hard_links_are_named(file, tmp_path, caplog):
    os.link(file, tmp_path / "other.urdf")
    write_whole(file, NEW)
    assert file.read_bytes() == NEW
    assert (tmp_path / "other.urdf").read_bytes() == OLD
    assert "hard links keep the old content: other.urdf" in caplog.text


# What cannot be written


def broken_targets(folder: Path) -> dict[str, Path]:
    (folder / "file.urdf").write_bytes(OLD)
    (folder / "folder").mkdir()
    (folder / "circle").symlink_to("circle")
    (folder / "lost").symlink_to("nowhere/robot.urdf")
    return {
        "no folder": folder / "nowhere/x.urdf",
        "a file for a folder": folder / "file.urdf/x.urdf",
        "a folder": folder / "folder",
        "a long name": folder / ("x" * 256),
        "a long path": folder / ("x/" * 3000),
        "a zero byte": folder / "a\0b",
        "a circle": folder / "circle",
        "a lost link": folder / "lost",
        "an empty name": Path(""),
    }


@pytest.mark.parametrize("case", ["no folder", "a file for a folder", "a folder", "a long name", "a long path"])
@pytest.mark.parametrize("make_folder", [False, True])
def test_a_bad_target_is_one_error(tmp_path, case, make_folder):
    path = broken_targets(tmp_path)[case]
    before = names(tmp_path)
    if case == "no folder" and make_folder:
        write_whole(path, NEW, make_folder=True)
        assert path.read_bytes() == NEW
        return
    with pytest.raises(WriteError, match=re.escape(str(path)[:40])):
        write_whole(path, NEW, make_folder=make_folder)
    assert names(tmp_path) == before
    assert (tmp_path / "file.urdf").read_bytes() == OLD


@pytest.mark.parametrize("case", ["a zero byte", "a circle", "a lost link", "an empty name"])
def test_a_bad_path_is_one_error(tmp_path, case):
    path = broken_targets(tmp_path)[case]
    before = names(tmp_path)
    with pytest.raises(WriteError):
        write_whole(path, NEW)
    assert names(tmp_path) == before


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("x" * 255)
    for content in (OLD, NEW):
        write_whole(path, content)
    assert path.read_bytes() == NEW


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o555])
def test_a_read_only_file_is_refused(file, mode):
    file.chmod(mode)
    with pytest.raises(WriteError, match=r"read-only; make it writable"):
        write_whole(file, NEW)
    assert file.read_bytes() == OLD
    assert names(file.parent) == {file.name}


@needs_root
@pytest.mark.parametrize(("mode", "code"), [(0o644, 1), (0o666, 0)])
def test_a_file_of_somebody_else_is_refused(mode, code):
    """In a folder where one may replace files that one may not write."""
    with tempfile.TemporaryDirectory() as name:  # other users cannot enter the folders of pytest
        folder, path = Path(name), Path(name, "robot.urdf")
        folder.chmod(0o777)
        path.write_bytes(OLD)
        path.chmod(mode)
        child = os.fork()
        if child == 0:
            os.setegid(12345)
            os.seteuid(12345)
            try:
                write_whole(path, NEW)
            except WriteError as error:
                os._exit(1 if "read-only" in str(error) else 2)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == code
        assert path.read_bytes() == (OLD if code else NEW)


def test_a_full_disk_loses_nothing(tmp_path, other_disk):
    (other_disk / "robot.urdf").write_bytes(OLD)
    big = bytes(400_000)
    for name in ("robot.urdf", "new.urdf"):
        with pytest.raises(WriteError, match=r"No space left.*free some space"):
            write_whole(other_disk / name, big)
    with pytest.raises(WriteError, match="No space left"):
        write_whole(other_disk / "meshes/a.obj", big, make_folder=True)
    assert names(other_disk) == {"robot.urdf"}
    assert (other_disk / "robot.urdf").read_bytes() == OLD


def test_of_several_files_none_is_replaced_where_one_does_not_fit(other_disk):
    for name in ("a", "b"):
        (other_disk / name).write_bytes(OLD)
    files = {other_disk / "a": NEW, other_disk / "b": bytes(400_000), other_disk / "c": NEW}
    with pytest.raises(WriteError, match="b cannot be written"):
        write_files(files)
    assert names(other_disk) == {"a", "b"}
    assert [(other_disk / name).read_bytes() for name in ("a", "b")] == [OLD, OLD]


def test_a_read_only_file_system(tmp_path):
    with mounted(tmp_path / "disk", "size=64k") as folder:
        (folder / "robot.urdf").write_bytes(OLD)
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        with pytest.raises(WriteError, match="read-only"):
            write_whole(folder / "robot.urdf", NEW)
        with pytest.raises(WriteError, match=r"Read-only file system; write to another folder"):
            write_whole(folder / "new.urdf", NEW)
        assert names(folder) == {"robot.urdf"}
        assert (folder / "robot.urdf").read_bytes() == OLD


@pytest.mark.parametrize("call", ["write", "fsync", "replace", "fchmod"])
def test_a_failure_anywhere_leaves_no_file_and_is_reported_first(file, monkeypatch, call):
    def fail(*_):
        raise OSError(errno.EIO, "the disk is gone")

    monkeypatch.setattr(os, call, fail)
    monkeypatch.setattr(os, "close", lambda descriptor, close=os.close: (close(descriptor), fail()))
    if call == "fchmod":
        write_whole(file, NEW)  # permissions are kept only where that is permitted
        return
    with pytest.raises(WriteError, match="the disk is gone"):
        write_whole(file, NEW)
    monkeypatch.undo()
    assert file.read_bytes() == OLD
    assert names(file.parent) == {file.name}


def test_cleaning_up_never_hides_the_first_error(file, monkeypatch):
    def fail(reason):
        def call(*_, **__):
            raise OSError(errno.EIO, reason)

        return call

    monkeypatch.setattr(os, "fsync", fail("the first"))
    monkeypatch.setattr(Path, "unlink", fail("the second"))
    with pytest.raises(WriteError, match="the first"):
        write_whole(file, NEW)


def test_an_interrupt_leaves_no_file(file, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(file, NEW)
    assert names(file.parent) == {file.name}


def test_inputs_are_not_overwritten(file, tmp_path):
    (tmp_path / "link").symlink_to(file)
    for name in (file, tmp_path / "link", tmp_path / "nothing/../robot.urdf"):
        (tmp_path / "nothing").mkdir(exist_ok=True)
        with pytest.raises(WriteError, match="is an input"):
            write_whole(name, NEW, inputs=[tmp_path / "missing", file])
    assert file.read_bytes() == OLD


# Targets that are no files


@needs_root
def test_a_device_stays_a_device(tmp_path):
    """As /dev/null is: a copy of it, so that a failure here breaks nothing."""
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.stat("/dev/null").st_rdev)
    except PermissionError:
        pytest.skip("making devices is not permitted")
    (tmp_path / "link").symlink_to(device)
    for name in (device, tmp_path / "link"):
        with suppress(WriteError):  # a file system may forbid to open devices
            write_whole(name, NEW)
        assert stat.S_ISCHR(device.stat().st_mode)
        assert names(tmp_path) == {"null", "link"}


def test_dev_null_takes_everything():
    write_whole("/dev/null", NEW)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_dev_full_is_an_error():
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with pytest.raises(WriteError, match="No space left"):
        write_whole("/dev/full", NEW)


def test_a_pipe_with_a_name_gets_all_of_it(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    content = bytes(range(256)) * 4096
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, content)
    reader.join()
    assert got == [content]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == {"pipe"}


WRITE = "import sys; from inertia_tools.write.whole import write_whole; print('first');write_whole(sys.argv[1], b'new content\\n')"


def test_standard_output_comes_after_what_was_printed(tmp_path):
    command = [sys.executable, "-c", WRITE, "/dev/stdout"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"first\n" + NEW
    log = tmp_path / "log"
    log.write_bytes(OLD)
    with log.open("ab") as appended:
        subprocess.run(command, stdout=appended, check=True)
    assert log.read_bytes() == OLD + b"first\n" + NEW


def test_process_substitution(tmp_path):
    out = tmp_path / "out"
    command = f'{sys.executable} -c "$WRITE" >(cat > {out}) && sleep 0.1; wait'
    done = subprocess.run(["bash", "-c", command], env={**os.environ, "WRITE": WRITE}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == NEW


# Several writers, and killed ones


def test_threads_write_whole_files(file):
    contents = [bytes([48 + index]) * 50_000 for index in range(8)]
    wrong = []

    def write(content):
        for _ in range(10):
            write_whole(file, content)
            if file.read_bytes() not in contents:
                wrong.append(content[:1])

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert names(file.parent) == {file.name}


def test_two_processes_write_whole_files(file):
    script = (
        "import sys; from inertia_tools.write.whole import write_whole\n"
        "for _ in range(50): write_whole(sys.argv[1], sys.argv[2].encode() * 50_000)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(file), letter]) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        seen.add(file.read_bytes())
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {OLD, b"a" * 50_000, b"b" * 50_000}
    assert names(file.parent) == {file.name}


def test_the_next_run_removes_what_a_killed_one_left(tmp_path):
    script = (
        "import os, sys, time; from pathlib import Path; from inertia_tools.write.temporary import create_temporary\n"
        "create_temporary(Path(sys.argv[1]), 0o600); print('made', flush=True); time.sleep(60)"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"made\n"
    (left,) = names(tmp_path)
    assert NAME.fullmatch(left)
    write_whole(tmp_path / "a", NEW)
    assert names(tmp_path) == {"a", left}, "its writer is alive"
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    write_whole(tmp_path / "a", NEW)
    assert names(tmp_path) == {"a"}


def test_only_what_is_surely_ours_is_removed(tmp_path):
    others = [".inertia-tools-0123.part", "inertia-tools-0123456789abcdef.part", ".robot.urdf.12.part", "a.part"]
    for name in others:
        (tmp_path / name).touch()
    linked = tmp_path / ".inertia-tools-0123456789abcdef.part"
    linked.symlink_to(tmp_path / others[0])
    write_whole(tmp_path / "a", NEW)
    assert names(tmp_path) == {*others, linked.name, "a"}


def test_temporaries_of_a_living_writer_are_not_taken(tmp_path):
    descriptor, path = create_temporary(tmp_path, 0o600)
    write_whole(tmp_path / "a", NEW)
    assert path.exists()
    os.close(descriptor)
    write_whole(tmp_path / "a", NEW)
    assert names(tmp_path) == {"a"}


def test_writers_killed_at_random_instants():
    """A slice of the sweep in docs/reliability.md."""
    script = Path(__file__).with_name("kill_writers.py")
    done = subprocess.run([sys.executable, script, "--count", "40", "--seed", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    killed, inside = map(int, re.findall(r"\d+", done.stdout)[:2])
    assert killed == 40
    assert inside > 0, "no writer was killed while it wrote"
