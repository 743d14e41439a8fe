import CReadline
import Callbacks
import Delegates
import EventLoops
import Glibc
import Readline
import Streams
import Synchronization

/// One observation of lines: the handlers and files of readline, and the polled descriptor.
///
/// Ownership: the loop ===> the handle that polls the descriptor ===> Session, until `end()`.
final class Session {
  // Readline's callbacks and files are global (C7), so a process has one session at a time.
  private static let isUsed = Atomic(false)

  private let observer: Observer<String, ReadlineError>
  private let prompt: String
  private let completions: InterceptedMethod<[String], Completion>
  private let callbacks = DisposeBag()
  private let calls = Deferral()
  private var files: (input: UnsafeMutablePointer<FILE>, output: UnsafeMutablePointer<FILE>)
  private let watched: Int32
  private var readiness: Subscription?
  private var isEnded = false
  var onEnd: () -> Void = {}

  init(
    _ input: Int32, _ output: Int32, _ prompt: String, _ completions: InterceptedMethod<[String], Completion>,
    _ observer: Observer<String, ReadlineError>
  ) throws(ReadlineError) {
    self.observer = observer
    self.prompt = prompt
    self.completions = completions
    if Self.isUsed.exchange(true, ordering: .relaxed) { throw .inUse }
    do {
      files = try Self.open(input, output)
    } catch {
      Self.isUsed.store(false, ordering: .relaxed)
      throw error
    }
    // Polling makes an open file non-blocking, and a terminal's is often that of standard output, too. Therefore the input is
    // opened again. If that fails, for example for a socket, a duplicate of the descriptor is polled.
    let reopened = Glibc.open("/proc/self/fd/\(input)", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    watched = reopened >= 0 ? reopened : fcntl(input, F_DUPFD_CLOEXEC, 3)
    if watched >= 0 { return }
    let error = ReadlineError.cannotRead(UVError(errno: errno, call: "fcntl", path: "descriptor \(input)"))
    fclose(files.input)
    fclose(files.output)
    Self.isUsed.store(false, ordering: .relaxed)
    throw error
  }

  /// Opens files on duplicates of the descriptors, so that closing the files leaves the descriptors open.
  private static func open(
    _ input: Int32, _ output: Int32
  ) throws(ReadlineError) -> (UnsafeMutablePointer<FILE>, UnsafeMutablePointer<FILE>) {
    func file(_ descriptor: Int32, _ mode: String) throws(ReadlineError) -> UnsafeMutablePointer<FILE> {
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      if copy < 0 { throw .cannotRead(UVError(errno: errno, call: "fcntl", path: "descriptor \(descriptor)")) }
      guard let file = fdopen(copy, mode) else {
        let error = UVError(errno: errno, call: "fdopen", path: "descriptor \(descriptor)")
        close(copy)
        throw .cannotRead(error)
      }
      return file
    }
    let reading = try file(input, "r")
    do throws(ReadlineError) {
      return (reading, try file(output, "w"))
    } catch {
      fclose(reading)
      throw error
    }
  }

  /// Shows the prompt and starts polling.
  func start() {
    headwater_rl_ignore_signals()
    headwater_rl_set_streams(files.input, files.output)
    ReadlineLibrary.onCompletion { [completions] word, start, _ in
      headwater_rl_end_completion()
      let words = completions.intercept(Completion(word, start)) { [] }
      // Readline frees the array and the strings (R4).
      return words.isEmpty ? nil : Completion.answer(words).mallocedCopies()
    }.dispose(in: callbacks)
    // The handler must free the line (V3). nil means the end of the input (E5).
    ReadlineLibrary.lines(prompt) { String(taking: $0) }.observeNext { [observer] line in
      if let line { observer.next(line) } else { observer.completed() }
    }.dispose(in: callbacks)
    let readiness = Operation<PollEvents, UVError>.poll(watched, for: .readable).observe(
      next: { [self] _ in calls.during { rl_callback_read_char() } },
      termination: { [observer] in
        if case .failed(let error) = $0 { observer.failed(.cannotRead(error)) }
      })
    if isEnded { readiness.dispose() } else { self.readiness = readiness }
    if observer.isPaused { pause() }
  }

  func pause() { readiness?.pause() }

  func resume() { readiness?.resume() }

  /// Restores the terminal and releases everything. Inside the handler of a line, readline still uses its files, so they are
  /// closed after the call has returned.
  func end() {
    if isEnded { return }
    isEnded = true
    readiness?.dispose()
    readiness = nil
    callbacks.dispose()
    headwater_rl_set_streams(nil, nil)
    Self.isUsed.store(false, ordering: .relaxed)
    let (files, watched) = (files, watched)
    calls.afterCall {
      fclose(files.input)
      fclose(files.output)
      close(watched)
    }
    onEnd()
    onEnd = {}
  }
}
