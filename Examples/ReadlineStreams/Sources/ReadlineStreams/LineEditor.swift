import CReadline
public import Delegates
import EventLoops
public import Streams

/// A source of lines that a user types and edits with GNU readline, on the loop.
///
/// ```swift
/// let editor = LineEditor()
/// try editor.completions.answer { request in commands.filter { $0.hasPrefix(request.word) } }.dispose(in: bag)
/// editor.lines(prompt: "> ").observeNext { print("you said", $0) }.dispose(in: bag)
/// Loop.main.run()
/// ```
///
/// Readline does not handle signals. Observe `Operation.signal(.interrupt)`, and call `resize()` for `.windowChange`.
/// The editor is confined.
public final class LineEditor {
  private let input: Int32
  private let output: Int32
  private var isReading = false

  /// The slot of the completion function, called when the user presses the tab key. Its handler returns the words that can
  /// replace the typed one. Without a handler, there are no completions.
  public let completions = InterceptedMethod<[String], Completion>()

  /// Creates an editor that reads from the descriptor `input`, a terminal, pipe, or socket, and writes to `output`.
  public init(input: Int32 = 0, output: Int32 = 1) {
    self.input = input
    self.output = output
  }

  /// Emits the lines, without their newlines, on the loop of the observer. Completes at the end of the input.
  ///
  /// Observing shows the prompt and prepares the terminal. Disposal restores the terminal, and leaves later input unread.
  /// While the observer is paused, the input is not read. Each line is delivered inside a call of readline, before readline
  /// shows the next prompt.
  ///
  /// A process can have one observer at a time. A second one fails with `ReadlineError.inUse`. If `input` cannot be polled,
  /// or a descriptor cannot be duplicated, the operation fails with `ReadlineError.cannotRead`.
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

  /// Prints `text` above the line that is being edited. If this editor's lines have no observer, prints to standard output.
  public func show(_ text: String) {
    if isReading { headwater_rl_print_above(text) } else { print(text) }
  }

  /// Adds a line to the history, which the arrow keys show. All editors of the process share the history.
  public func remember(_ line: String) { add_history(line) }

  /// Adapts to a new window size. Does nothing if this editor's lines have no observer.
  public func resize() { if isReading { rl_resize_terminal() } }
}

@available(*, unavailable)
extension LineEditor: Sendable {}
