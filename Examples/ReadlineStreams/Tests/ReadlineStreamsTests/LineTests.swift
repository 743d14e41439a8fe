import EventLoops
import Glibc
import ReadlineStreams
import Streams
import StreamsTesting
import Testing

extension ReadlineTests {
  @Suite("Lines") struct LineTests {
    @Test func `lines of a pipe, also a last one without an end; the end of the input completes`() async throws {
      let (lines, isCompleted, flags) = try await onLoop { loop in
        let pipe = try Pipe()
        let nowhere = Nowhere()
        let editor = LineEditor(input: pipe.input, output: nowhere.descriptor)
        let recorder = editor.lines().record()
        pipe.write("one\n\ntwo wörds\nunfinished")
        pipe.end()
        // No handle is left, so the loop stops by itself.
        loop.run()
        return (recorder.elements, recorder.isCompleted, fcntl(pipe.input, F_GETFL))
      }
      #expect(lines == ["one", "", "two wörds", "unfinished"])
      #expect(isCompleted)
      #expect(flags & O_NONBLOCK == 0, "others read this descriptor, too")
    }

    @Test func `lines of a connection that was reset arrive, and the stream ends`() async throws {
      let recorded = try await onLoop { loop in
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        #expect(write(ends[1], "one\ntwo\n", 8) == 8)
        // What the peer has not read makes its end a reset.
        #expect(write(ends[0], "x", 1) == 1)
        close(ends[1])
        let nowhere = Nowhere()
        let recorder = LineEditor(input: ends[0], output: nowhere.descriptor).lines().record()
        loop.run()
        close(ends[0])
        return (recorder.elements, recorder.isCompleted)
      }
      #expect(recorded.0 == ["one", "two"] && recorded.1, "\(recorded)")
    }

    @Test func `a second observer fails with a typed error, whoever's editor it is; after the first it is its turn`()
      async throws
    {
      try await onLoop { loop in
        let pipe = try Pipe()
        let nowhere = Nowhere()
        let editor = LineEditor(input: pipe.input, output: nowhere.descriptor)
        let other = LineEditor(input: pipe.input, output: nowhere.descriptor)
        let first = editor.lines().record()
        #expect(editor.lines().record().failure == .inUse)
        #expect(other.lines().record().failure == .inUse)
        // The failures do not affect the first observer.
        pipe.write("line\n")
        let stop = editor.lines().record()
        #expect(stop.failure == .inUse)
        let watch = Stream<Int>.interval(.milliseconds(1)).observeNext { _ in
          if first.elements.count == 1 { loop.stop() }
        }
        loop.run()
        watch.dispose()
        #expect(first.elements == ["line"])
        first.dispose()
        let second = other.lines().record()
        #expect(second.events.isEmpty)
        pipe.write("another\n")
        pipe.end()
        loop.run()
        #expect(second.elements == ["another"])
        #expect(second.isCompleted)
      }
    }

    @Test func `disposed of by the observer of a line: no more lines, and the rest of the input is left to others`()
      async throws
    {
      let (lines, rest) = try await onLoop { loop in
        let pipe = try Pipe()
        let nowhere = Nowhere()
        let bag = DisposeBag()
        var lines: [String] = []
        LineEditor(input: pipe.input, output: nowhere.descriptor).lines().observeNext { line in
          lines.append(line)
          if line == "quit" { bag.dispose() }
        }.dispose(in: bag)
        pipe.write("a\nquit\nnot for us\n")
        loop.run()
        return (lines, pipe.rest)
      }
      #expect(lines == ["a", "quit"])
      #expect(rest == "not for us\n")
    }

    @Test func `observed again from inside of a line, it goes on with the next line`() async throws {
      let lines = try await onLoop { loop in
        let pipe = try Pipe()
        let nowhere = Nowhere()
        let editor = LineEditor(input: pipe.input, output: nowhere.descriptor)
        var lines: [String] = []
        // `repeat` subscribes again for each line, from inside the previous one.
        let subscription = editor.lines().take(1).repeat(3).observeNext { lines.append($0) }
        pipe.write("one\ntwo\nthree\nfour\n")
        pipe.end()
        loop.run()
        subscription.dispose()
        return lines
      }
      #expect(lines == ["one", "two", "three"])
    }

    @Test func `a paused observer lets the input wait`() async throws {
      try await onLoop { loop in
        let pipe = try Pipe()
        let nowhere = Nowhere()
        let recorder = LineEditor(input: pipe.input, output: nowhere.descriptor).lines().record()
        recorder.pause()
        pipe.write("waits\n")
        pipe.end()
        // Only this timer keeps the loop alive.
        let turns = try TimerHandle()
        var count = 0
        turns.start(after: .milliseconds(1), every: .milliseconds(1)) {
          count += 1
          if count == 20 { turns.dispose() }
        }
        loop.run()
        #expect(recorder.events.isEmpty)
        recorder.resume()
        loop.run()
        #expect(recorder.elements == ["waits"])
        #expect(recorder.isCompleted)
      }
    }

    @Test func `what cannot be watched or opened is a typed failure, and leaves readline free`() async throws {
      try await onLoop { loop in
        let nowhere = Nowhere()
        let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        for _ in 0..<2 {
          let failure = LineEditor(input: file, output: nowhere.descriptor).lines().record().failure
          guard case .cannotRead(let error) = failure else {
            Issue.record("\(String(describing: failure))")
            return
          }
          #expect(error.name == "EPERM")
          loop.run()
        }
        let failure = LineEditor(input: -1, output: nowhere.descriptor).lines().record().failure
        guard case .cannotRead(let error) = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
        #expect(error.name == "EBADF")
      }
    }
  }
}
