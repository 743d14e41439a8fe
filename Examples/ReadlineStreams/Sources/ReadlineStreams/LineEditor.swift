import CReadline
public import Delegates
import EventLoops
public import Streams

/// Lines that somebody types, edited by GNU readline, on the loop.
///
/// ```swift
/// let editor = LineEditor()
/// try editor.completions.answer { request in commands.filter { $0.hasPrefix(request.word) } }.dispose(in: bag)
/// editor.lines(prompt: "> ").observeNext { print("you said", $0) }.dispose(in: bag)
/// Loop.main.run()
/// ```
///
/// Readline leaves signals to the program: observe `Operation.signal(.interrupt)`, and call `resize()` for
/// `.windowChange`. Confined.
public final class LineEditor {
  private let input: Int32
  private let output: Int32
  private var isReading = false

  /// Asked, when the tab key is pressed, which words can stand in the place of the one that is typed. Without a handler there
  /// are none.
  public let completions = InterceptedMethod<[String], Completion>()

  /// Makes an editor of what comes from `input`, a terminal, a pipe or a socket, and is shown on `output`.
  public init(input: Int32 = 0, output: Int32 = 1) {
    self.input = input
    self.output = output
  }

  /// The lines, without their ends, on the loop that observes. Completes at the end of the input.
  ///
  /// Observing shows the prompt and prepares the terminal, disposal puts it back; what is typed then is left to others. A
  /// paused observer lets the input wait. There is one observer at a time in the process: a second one fails with
  /// `ReadlineError.inUse`. Lines arrive from inside of readline, before it shows the next prompt.
  public func lines(prompt: String = "> ") -> Operation<String, ReadlineError> {
    Operation { [self] observer in
      do throws(ReadlineError) {
        let session = try Session(input, output, prompt, completions, observer)
        isReading = true
        session.onEnd = { [self] in isReading = false }
        session.start()
        return BlockDisposable {
          session.end()
        } pause: {
          session.pause()
        } resume: {
          session.resume()
        }
      } catch {
        observer.failed(error)
        return .none
      }
    }
  }

  /// Shows a text above the line that is being edited; on standard output while nobody observes lines.
  public func show(_ text: String) {
    if isReading { headwater_rl_print_above(text) } else { print(text) }
  }

  /// Remembers a line for the arrow keys. The history is the process's.
  public func remember(_ line: String) { add_history(line) }

  /// The window has another size.
  public func resize() { if isReading { rl_resize_terminal() } }
}

@available(*, unavailable)
extension LineEditor: Sendable {}
