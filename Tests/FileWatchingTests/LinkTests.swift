import FileWatching
import Glibc
import StreamsTesting
import Testing

/// Symbolic links that are followed on request.
@Suite(.noLiveResources)
struct LinkTests {
  private static func options(_ polling: FileWatchOptions.Polling = .automatic) -> FileWatchOptions {
    var options = FileWatchOptions()
    options.followsLinks = true
    options.polling = polling
    options.pollInterval = .milliseconds(2)
    return options
  }

  @Test(arguments: [FileWatchOptions.Polling.automatic, .always])
  func directoriesBehindLinksAreWatchedUnderThePathOfTheLink(polling: FileWatchOptions.Polling) async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir -p deep/er; touch file")
      watcher.tree.link("link", to: outside.path)
      watcher.tree.link("plain", to: outside.absolute("file"))
      watcher.start([""], Self.options(polling))
      outside.shell("touch deep/er/new; mkdir more; touch more/new; rm file")
      watcher.settle()
      #expect(
        Set(watcher.texts(without: .modified, .attributes)) == [
          "created link/deep/er/new", "created link/more/", "created link/more/new", "removed link/file",
        ])
      watcher.clear()
      // A link that is made while it is watched, and one that goes.
      outside.shell("mkdir ../$(basename $PWD)-2 && touch ../$(basename $PWD)-2/there")
      defer { outside.shell("rm -r ../$(basename $PWD)-2") }
      watcher.tree.link("second", to: "\(outside.path)-2")
      watcher.settle()
      #expect(Set(watcher.texts(without: .attributes)) == ["created second/", "created second/there"])
      watcher.clear()
      watcher.tree.remove("link")
      watcher.settle()
      #expect(watcher.texts(without: .attributes) == ["removed link/"])
      watcher.clear()
      outside.touch("unseen")
      watcher.settle()
      #expect(watcher.texts() == [])
    }
  }

  @Test(arguments: [FileWatchOptions.Polling.automatic, .always])
  func loopsEnd(polling: FileWatchOptions.Polling) async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      watcher.tree.makeDirectory("a")
      watcher.tree.link("a/up", to: "..")
      watcher.tree.link("a/self", to: ".")
      watcher.tree.link("a/out", to: outside.path)
      outside.link("back", to: watcher.tree.path)
      watcher.start([""], Self.options(polling))
      watcher.tree.touch("a/file")
      outside.touch("other")
      watcher.settle()
      #expect(Set(watcher.texts(without: .modified, .attributes)) == ["created a/file", "created a/out/other"])
    }
  }

  @Test func aDirectoryBehindALinkThatGoesIsRemoved() async throws {
    try await withWatcher { watcher in
      let outside = TestTree()
      outside.shell("mkdir target; touch target/file")
      watcher.tree.link("link", to: outside.absolute("target"))
      watcher.start([""], Self.options())
      outside.shell("rm -r target")
      watcher.settle()
      #expect(watcher.texts(without: .attributes).suffix(2) == ["removed link/", "created link"])
      watcher.clear()
      watcher.tree.shell("rm link; mkdir ../x-$$; ln -s ../x-$$ link; touch link/new; rm -r ../x-$$")
      watcher.settle()
      #expect(watcher.count("removed link") == 1)
    }
  }
}
