import CReadline
import Callbacks
import Delegates
import EventLoops
import Glibc
import Streams

/// One observation of lines: the handlers and files of readline, and the polled descriptor.
///
/// Ownership: the loop ===> the handle that polls the descriptor ===> Session, until `end()`.
final class Session {
  typealias Line = LentCallback<String?, Void>
  typealias Words = RepeatingCallback<Completion, [String]>

  private typealias LineFunction = @convention(c) (UnsafeMutablePointer<CChar>?) -> Void
  private typealias CompletionFunction =
    @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

  /// Readline passes no context (C7), so the function gets it from the pool. With one function, there is one owner.
  private static let lines: CallbackPool<LineFunction> = CallbackPool([
    // The handler must free the line (V3). nil means the end of the input, and is the last call (E5).
    { line in Line.call(lines[0], String(taking: line), isLast: line == nil) }
  ])

  private static let words: CallbackPool<CompletionFunction> = CallbackPool([
    { word, start, _ in
      headwater_rl_end_completion()
      let words = Words.call(words[0], Completion(word, start), otherwise: [])
      // Readline frees the array and the strings (R4).
      return words.isEmpty ? nil : Completion.answer(words).mallocedCopies()
    }
  ])

  private let line: Line
  private let lineClaim: CallbackPool<LineFunction>.Claim
  private let completion: Words
  private let wordsClaim: CallbackPool<CompletionFunction>.Claim
  private let observer: Observer<String, ReadlineError>
  private let prompt: String
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
    line = Line { text in
      if let text { observer.next(text) } else { observer.completed() }
    }
    completion = Words { request in completions.intercept(request) { [] } }
    do throws(CallbackPoolExhausted) {
      lineClaim = try Self.lines.claim(line.context)
      wordsClaim = try Self.words.claim(completion.context)
    } catch {
      line.disarm()
      throw .inUse
    }
    do throws(ReadlineError) {
      files = try Self.open(input, output)
    } catch {
      line.disarm()
      throw error
    }
    // Polling makes an open file non-blocking, and a terminal's is often that of standard output, too. Therefore the input is
    // opened again. If that fails, for example for a socket, a duplicate of the descriptor is polled.
    let reopened = Glibc.open("/proc/self/fd/\(input)", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    watched = reopened >= 0 ? reopened : fcntl(input, F_DUPFD_CLOEXEC, 3)
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
    headwater_rl_set_completion(wordsClaim.function)
    rl_callback_handler_install(prompt, lineClaim.function)
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
    rl_callback_handler_remove()
    headwater_rl_set_completion(nil)
    headwater_rl_set_streams(nil, nil)
    Line.giveBack(line.context)
    completion.cancel()
    lineClaim.release()
    wordsClaim.release()
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
