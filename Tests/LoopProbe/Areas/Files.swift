import EventLoops
import Glibc
import Streams

@MainActor func files(_ area: Area) {
  let path = "\(area.directory)/file"
  let lines = Bytes((1...20_000).map { "line \($0)" }.joined(separator: "\n"))
  let writer = FileWriter(path)
  let writing = writer.readiness.map { "room" }
  writer.write(lines)
  writer.finish()
  area.expect(
    "written",
    writing.ignoreElements().concat(
      with: Operation.reading(path).lines(limit: 100).mapError { error in
        if case .source(let source) = error { return source }
        return UVError(errno: EINVAL, call: "lines")
      }.reduce(0) { count, _ in count + 1 }.map { "\($0) lines" }))
  area.expect(
    "copied",
    settled(writer).then(Files.copy(path, to: "\(path).copy"))
      .then(Files.status(of: "\(path).copy").map { "\($0.size) bytes" })
      .concat(with: Files.rename("\(path).copy", to: "\(path).moved").map { "moved" })
      .concat(with: Files.setPermissions(0o600, of: "\(path).moved").map { "set" })
      .concat(with: Files.makeLink("\(path).link", to: "\(path).moved").map { "linked" })
      .concat(with: Files.status(ofLink: "\(path).link").map { "\($0.links) links" })
      .concat(with: Files.remove("\(path).link").map { "removed" }))
  area.expect(
    "open",
    Files.makeTemporaryFile("\(area.directory)/XXXXXX").flatMap(.merge) { file in
      // The closure of the last step retains the file until all have ended.
      file.write("some text", at: 0)
        .then(file.sync()).then(file.syncContent()).then(file.truncate(to: 4))
        .then(file.setPermissions(0o600))
        .then(file.setTimes(accessed: .now, modified: .now))
        .then(file.read(100, at: 0).map { String($0) })
        .concat(with: file.status().map { "\($0.size) bytes" })
        .concat(with: file.close().map { "closed \(file.isDisposed)" })
    })
  area.expect(
    "sent",
    Operation<File, UVError>.combineLatest([
      settled(writer).then(Files.open(path)), Files.open("\(path).sent", for: .writing, options: [.create]),
    ]).take(1).flatMap(.merge) { files in
      files[0].send(1000, from: 0, to: files[1]).map { count in
        for file in files { file.dispose() }
        return "\(count) bytes"
      }
    })
  area.expect("missing", Files.status(of: "\(path).missing").map { _ in "found" }.expecting("ENOENT"))
  area.expect("room", Files.fileSystemStatus(at: area.directory)) { $0.size > 0 ? "some" : "none" }
}

/// Emits an element when the writer has closed its file.
private func settled(_ writer: FileWriter) -> Operation<Void, UVError> {
  writer.readiness.ignoreElements().concat(with: .just(()))
}

@MainActor func directories(_ area: Area) {
  let root = "\(area.directory)/root"
  area.expect(
    "tree",
    Files.makeDirectory(root).then(Files.makeDirectory("\(root)/a"))
      .then(Files.makeDirectory("\(root)/b"))
      .then(Files.makeSymbolicLink("\(root)/link", to: "a"))
      .then(Files.entries(of: root).map { $0.map(\.name).sorted().joined(separator: " ") })
      .concat(
        with: Operation.entries(of: root).reduce(0) { count, _ in count + 1 }.map { "\($0) entries" }
      )
      .concat(with: Files.destination(ofLink: "\(root)/link"))
      .concat(with: Files.realPath(of: "\(root)/link").map { String($0.suffix(7)) })
      .concat(with: Files.checkAccess(to: root, for: .read).map { "readable" })
      .concat(with: Files.removeDirectory("\(root)/b").map { "removed" }))
  area.expect("temporary", Files.makeTemporaryDirectory("\(area.directory)/XXXXXX").map { _ in "made" })
  area.expect("missing", Files.entries(of: "\(root)/missing").map { _ in "found" }.expecting("ENOENT"))
}

@MainActor func watches(_ area: Area) {
  let path = "\(area.directory)/watched"
  func touch(_ name: String) throws(UVError) {
    let descriptor = open("\(path)/\(name)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw systemError("open") }
    close(descriptor)
  }
  do throws(UVError) {
    if mkdir(path, 0o700) != 0 { throw systemError("mkdir") }
  } catch {
    complain("directory: \(error)")
  }
  for name in ["one", "two"] {
    area.expect(
      "events \(name)",
      Operation<PathEvent, UVError>.pathEvents(path).map { $0.name ?? "none" }.filter { $0 == "new" }.take(1)
        .timeout(after: .seconds(3), failingWith: late))
  }
  // The first check says that there is no such file; what is made before it is no change.
  area.expect(
    "status",
    Operation<FileStatusChange, UVError>.statusChanges(of: "\(path)/polled", every: .milliseconds(5))
      .doOn(next: { change in
        guard change.new == nil else { return }
        do throws(UVError) { try touch("polled") } catch { complain("touch: \(error)") }
      }).filter { $0.new != nil }.take(1).timeout(after: .seconds(3), failingWith: late)
  ) { _ in "appeared" }
  area.expect("touch", Stream<Int>.timer(1, after: .milliseconds(20))) {
    do throws(UVError) {
      try touch("new")
      return "\($0)"
    } catch {
      complain("touch: \(error)")
      return "\($0)"
    }
  }
  polled(area)
}

/// Descriptors that are polled: by a stream, and by the driver of a library.
@MainActor private func polled(_ area: Area) {
  area.expect(
    "poll",
    { () throws(UVError) in
      let ends = try makePipe()
      do throws(UVError) {
        try send("x", to: ends.writing)
      } catch {
        close(ends.reading)
        close(ends.writing)
        throw error
      }
      return Operation<PollEvents, UVError>.poll(ends.reading, for: .readable).take(1).doOn(disposed: {
        close(ends.reading)
        close(ends.writing)
      })
    }
  ) { "\($0 == .readable)" }
  area.expect(
    "driver",
    { () throws(UVError) in
      let ends = try makePipe()
      func closeEnds() {
        close(ends.reading)
        close(ends.writing)
      }
      do throws(UVError) {
        let driver = try LibraryDriver()
        return Operation<Int, UVError> { observer in
          do throws(UVError) {
            var calls = 0
            driver.start(
              ready: { _, _ in
                var byte: UInt8 = 0
                _ = read(ends.reading, &byte, 1)
                calls += 1
                driver.setTimeout(.milliseconds(1))
              },
              timeout: {
                driver.afterCall {
                  driver.close(closeEnds)
                  observer.next(calls)
                  observer.completed()
                }
              })
            try driver.watch(ends.reading, for: .readable)
            try send("x", to: ends.writing)
          } catch {
            driver.close(closeEnds)
            observer.failed(error)
          }
          return .none
        }
      } catch {
        closeEnds()
        throw error
      }
    })
}
