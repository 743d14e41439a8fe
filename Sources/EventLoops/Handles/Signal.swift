#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A signal of the operating system, by its number.
public struct Signal: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number, which differs between systems.
  public let rawValue: Int32

  /// Makes a signal from its number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// `SIGHUP`: the terminal was closed.
  public static let hangup = Signal(rawValue: SIGHUP)
  /// `SIGINT`: Control-C.
  public static let interrupt = Signal(rawValue: SIGINT)
  /// `SIGQUIT`: Control-\.
  public static let quit = Signal(rawValue: SIGQUIT)
  /// `SIGKILL`: ends the process. It cannot be caught.
  public static let kill = Signal(rawValue: SIGKILL)
  /// `SIGUSR1`: free for programs.
  public static let user1 = Signal(rawValue: SIGUSR1)
  /// `SIGUSR2`: free for programs.
  public static let user2 = Signal(rawValue: SIGUSR2)
  /// `SIGPIPE`: a write to a pipe without a reader.
  public static let pipe = Signal(rawValue: SIGPIPE)
  /// `SIGALRM`: a system timer has fired.
  public static let alarm = Signal(rawValue: SIGALRM)
  /// `SIGTERM`: a request to end.
  public static let terminate = Signal(rawValue: SIGTERM)
  /// `SIGCHLD`: a child has ended or stopped.
  public static let child = Signal(rawValue: SIGCHLD)
  /// `SIGCONT`: continues a stopped process.
  public static let `continue` = Signal(rawValue: SIGCONT)
  /// `SIGSTOP`: stops the process. It cannot be caught.
  public static let stop = Signal(rawValue: SIGSTOP)
  /// `SIGTSTP`: Control-Z.
  public static let terminalStop = Signal(rawValue: SIGTSTP)
  /// `SIGWINCH`: the size of the terminal has changed.
  public static let windowChange = Signal(rawValue: SIGWINCH)

  private static let names: [(Signal, String)] = [
    (.hangup, "HUP"), (.interrupt, "INT"), (.quit, "QUIT"), (.kill, "KILL"), (.user1, "USR1"), (.user2, "USR2"),
    (.pipe, "PIPE"), (.alarm, "ALRM"), (.terminate, "TERM"), (.child, "CHLD"), (.continue, "CONT"), (.stop, "STOP"),
    (.terminalStop, "TSTP"), (.windowChange, "WINCH"),
  ]

  /// Makes a signal from its name, with or without `SIG` and in any case, or from its number, 1 to 64. Nil for other
  /// texts.
  public init?(_ name: String) {
    let upper = name.uppercased()
    let short = upper.hasPrefix("SIG") ? String(upper.dropFirst(3)) : upper
    if let known = Signal.names.first(where: { $0.1 == short }) {
      self = known.0
    } else if let number = Int32(name), (1...64).contains(number) {
      self.init(rawValue: number)
    } else {
      return nil
    }
  }

  /// Unblocks the signal in the calling thread. A process that is started from a thread with blocked signals inherits
  /// the mask.
  func unblock() {
    var set = sigset_t()
    sigemptyset(&set)
    // Fails for invalid numbers, which libuv reports.
    if sigaddset(&set, rawValue) == 0 { pthread_sigmask(SIG_UNBLOCK, &set, nil) }
  }

  /// The name, such as `SIGTERM`. A signal without a name here is described as `signal 35`.
  public var description: String {
    Signal.names.first { $0.0 == self }.map { "SIG\($0.1)" } ?? "signal \(rawValue)"
  }
}
