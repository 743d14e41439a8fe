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

  /// `SIGHUP`: the terminal has gone.
  public static let hangup = Signal(rawValue: SIGHUP)
  /// `SIGINT`: Control-C.
  public static let interrupt = Signal(rawValue: SIGINT)
  /// `SIGQUIT`: Control-\.
  public static let quit = Signal(rawValue: SIGQUIT)
  /// `SIGKILL`: the end, which cannot be caught.
  public static let kill = Signal(rawValue: SIGKILL)
  /// `SIGUSR1`: free for programs.
  public static let user1 = Signal(rawValue: SIGUSR1)
  /// `SIGUSR2`: free for programs.
  public static let user2 = Signal(rawValue: SIGUSR2)
  /// `SIGPIPE`: a write to a pipe that nobody reads.
  public static let pipe = Signal(rawValue: SIGPIPE)
  /// `SIGALRM`: a timer of the system.
  public static let alarm = Signal(rawValue: SIGALRM)
  /// `SIGTERM`: the polite request to end.
  public static let terminate = Signal(rawValue: SIGTERM)
  /// `SIGCHLD`: a child has ended or stopped.
  public static let child = Signal(rawValue: SIGCHLD)
  /// `SIGCONT`: go on after a stop.
  public static let `continue` = Signal(rawValue: SIGCONT)
  /// `SIGSTOP`: stop, which cannot be caught.
  public static let stop = Signal(rawValue: SIGSTOP)
  /// `SIGTSTP`: Control-Z.
  public static let terminalStop = Signal(rawValue: SIGTSTP)
  /// `SIGWINCH`: the terminal's size has changed.
  public static let windowChange = Signal(rawValue: SIGWINCH)

  private static let names: [(Signal, String)] = [
    (.hangup, "HUP"), (.interrupt, "INT"), (.quit, "QUIT"), (.kill, "KILL"), (.user1, "USR1"), (.user2, "USR2"),
    (.pipe, "PIPE"), (.alarm, "ALRM"), (.terminate, "TERM"), (.child, "CHLD"), (.continue, "CONT"), (.stop, "STOP"),
    (.terminalStop, "TSTP"), (.windowChange, "WINCH"),
  ]

  /// A signal by its name, with or without `SIG`, in any case, or by its number. Nil for what is neither.
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

  /// Lets the calling thread receive it. A process that is started from a thread with blocked signals inherits the mask.
  func unblock() {
    var set = sigset_t()
    sigemptyset(&set)
    // Fails for numbers that are none, which libuv reports.
    if sigaddset(&set, rawValue) == 0 { pthread_sigmask(SIG_UNBLOCK, &set, nil) }
  }

  /// `SIGTERM`, or `signal 35` for one without a name here.
  public var description: String {
    Signal.names.first { $0.0 == self }.map { "SIG\($0.1)" } ?? "signal \(rawValue)"
  }
}
