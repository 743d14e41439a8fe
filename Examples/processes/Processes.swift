import ArgumentParser
import Headwater

/// `processes`: shows the processes of the system as they change.
///
///     swift run --package-path Examples processes
///     swift run --package-path Examples processes --once swift
///
/// It prints a table and updates it until you press Control-C. What to learn from it: at each interval it reads `/proc`,
/// and only what has changed passes through the derived collections to the screen.
@main
struct Processes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "processes", abstract: "Show the processes of the system as they change.")

  @Argument(help: "Show only processes whose names contain this text.")
  var text = ""

  @Option(help: "Sort by memory, time, or pid.")
  var sort = "memory"

  @Option(help: "The number of seconds between updates.")
  var interval = 1.0

  @Flag(help: "Print the table once, and end.")
  var once = false

  /// Runs the program. Enters the main loop synchronously, on the first thread of the process.
  nonisolated static func main() {
    MainActor.assumeIsolated {
      do {
        var parsed = try parseAsRoot()
        guard let processes = parsed as? Processes else { return try parsed.run() }
        try processes.show()
      } catch {
        exit(withError: error)
      }
    }
  }

  @MainActor private func show() throws {
    guard let order = ProcessTable.Order(rawValue: sort) else {
      throw ValidationError("--sort takes \(ProcessTable.Order.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard interval >= 0.01, interval <= 86_400 else { throw ValidationError("--interval takes 0.01 to 86400 seconds") }
    let table = ProcessTable(containing: text, by: order)
    table.refresh(ProcessList.read())
    let isLive = Terminal.isThere && !once
    let screen = Screen(isLive ? Terminal.size : nil)
    if !once {
      watch(table, screen, isLive)
    } else {
      table.rows.observeNext { Terminal.write(screen.draw($0)) }.dispose()
    }
  }

  /// Shows the table until a signal ends the program.
  @MainActor private func watch(_ table: ProcessTable, _ screen: Screen, _ isLive: Bool) {
    let bag = DisposeBag()
    // The signals are handled before anything is drawn, so that the terminal is always restored.
    Operation.merge([Signal.interrupt, .terminate, .hangup].map { Operation<Signal, UVError>.signal($0) })
      .observeNext { _ in Loop.main.stop() }
      .dispose(in: bag)
    if isLive {
      Terminal.write(Terminal.enter)
      Operation.signal(.windowChange)
        .observeNext { _ in Terminal.write(screen.resize(to: Terminal.size)) }
        .dispose(in: bag)
    }
    table.rows.bind(to: Binder(screen) { screen, change in Terminal.write(screen.draw(change)) }).dispose(in: bag)
    Stream.interval(.seconds(interval)).observeNext { _ in table.refresh(ProcessList.read()) }.dispose(in: bag)
    Loop.main.run()
    bag.dispose()
    Loop.main.shutdown()
    if isLive { Terminal.write(Terminal.leave) }
  }
}
