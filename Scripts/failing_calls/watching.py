"""What is done to programs that watch files: headwatch, and follow."""
from .program import programs
from .scenario import Scenario


def tree(directory):
    for path in ("tree/a/b", "tree/c"):
        (directory / path).mkdir(parents=True)
    (directory / "tree/a/one.txt").write_text("1")


class Watch(Scenario):
    """headwatch prints changes."""

    name, product = "watch", "headwatch"
    options = []
    expected = ["tree/a/b/new.txt", "tree/d/", "tree/a/one.txt -> tree/c/two.txt", "tree/d/later.txt", "removed   tree/c/two.txt"]

    def prepare(self, directory):
        tree(directory)

    def arguments(self, directory):
        return [str(programs / "headwatch"), *self.options, "tree"]

    def is_ready(self, program):
        return program.watches() >= 4

    def act(self, program, directory):
        (directory / "tree/a/b/new.txt").write_text("x")
        (directory / "tree/d").mkdir()
        (directory / "tree/a/one.txt").rename(directory / "tree/c/two.txt")
        program.wait(lambda: "tree/d/" in program.text() and "two.txt" in program.text(), 2)
        (directory / "tree/d/later.txt").write_text("y")
        (directory / "tree/c/two.txt").unlink()

    def is_complete(self, program):
        text = program.text()
        return all(line in text for line in self.expected)


class Poll(Watch):
    """headwatch compares the tree at intervals."""

    name = "poll"
    options = ["--poll=50ms"]
    expected = ["tree/a/b/new.txt", "tree/d/", "tree/c/two.txt", "tree/d/later.txt", "removed   tree/c/two.txt"]

    def is_ready(self, program):
        return True


class Run(Watch):
    """headwatch runs a command after changes."""

    name = "run"

    def arguments(self, directory):
        return [str(programs / "headwatch"), "--debounce", "20ms", "tree", "--", "sh", "-c", "echo ran; ls tree/a/b"]

    def is_ready(self, program):
        return program.watches() >= 4 and "ran" in program.text()

    def act(self, program, directory):
        (directory / "tree/a/b/new.txt").write_text("x")

    def is_complete(self, program):
        return "new.txt" in program.text()


class Links(Watch):
    """headwatch follows symbolic links."""

    name = "links"
    options = ["--follow"]
    expected = ["tree/link/b/new.txt", "tree/link/d/", "tree/file", "removed   tree/link/d/later.txt"]

    def prepare(self, directory):
        tree(directory)
        (directory / "other/b").mkdir(parents=True)
        (directory / "other/text").write_text("1")
        (directory / "tree/link").symlink_to("../other")
        (directory / "tree/file").symlink_to("../other/text")

    def is_ready(self, program):
        return program.watches() >= 6

    def act(self, program, directory):
        (directory / "other/b/new.txt").write_text("x")
        (directory / "other/d").mkdir()
        (directory / "other/text").write_text("2")
        program.wait(lambda: "tree/link/d/" in program.text() and "new.txt" in program.text(), 2)
        (directory / "other/d/later.txt").write_text("y")
        program.wait(lambda: "later.txt" in program.text(), 2)
        (directory / "other/d/later.txt").unlink()


class Rules(Watch):
    """headwatch ignores what git ignores, also after the rules have changed."""

    name = "rules"
    options = ["--gitignore"]
    expected = ["tree/a/seen.txt", "tree/.gitignore", "tree/a/later.log"]

    def prepare(self, directory):
        tree(directory)
        (directory / "tree/.git").mkdir()
        (directory / "tree/.git/HEAD").write_text("ref: refs/heads/main\n")
        (directory / "tree/.gitignore").write_text("*.log\n")

    def act(self, program, directory):
        (directory / "tree/a/ignored.log").write_text("x")
        (directory / "tree/a/seen.txt").write_text("x")
        program.wait(lambda: "seen.txt" in program.text(), 2)
        (directory / "tree/.gitignore").write_text("*.tmp\n")
        program.wait(lambda: ".gitignore" in program.text(), 2)
        (directory / "tree/a/later.log").write_text("x")

    def is_wrong(self, program):
        return "ignored.log" in program.text().split("tree/.gitignore")[0] and not program.complaint()


class Root(Watch):
    """headwatch waits for a directory that disappears."""

    name = "root"
    expected = ["removed   tree", "created   tree", "tree/a/new.txt"]

    def act(self, program, directory):
        (directory / "tree").rename(directory / "gone")
        program.wait(lambda: "removed   tree" in program.text(), 2)
        (directory / "next/a").mkdir(parents=True)
        (directory / "next").rename(directory / "tree")
        program.wait(lambda: "created   tree" in program.text(), 2)
        (directory / "tree/a/new.txt").write_text("x")


class Follow(Scenario):
    """follow prints what is appended, also to a file that replaces another."""

    name = product = "follow"

    def prepare(self, directory):
        (directory / "log").write_text("first\n")

    def arguments(self, directory):
        return [str(programs / "follow"), "log"]

    def is_ready(self, program):
        return "first" in program.text()

    def act(self, program, directory):
        with open(directory / "log", "a") as log:
            log.write("second\n")
        program.wait(lambda: "second" in program.text(), 2)
        (directory / "new").write_text("third\n")
        (directory / "new").rename(directory / "log")

    def is_complete(self, program):
        return all(word in program.text() for word in ("first", "second", "third"))


WATCHING = [Watch, Poll, Run, Links, Rules, Root, Follow]
