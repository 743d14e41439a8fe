import Callbacks
public import EventLoops
public import Properties
public import Streams

/// A connection to a message bus, on a loop.
///
/// ```swift
/// let connection = try DBusConnection(to: .system)
/// let manager = connection.object("org.freedesktop.login1", at: "/org/freedesktop/login1",
///   interface: "org.freedesktop.login1.Manager")
/// manager.signal("PrepareForSleep", as: Bool.self).observe(
///   next: { print($0 ? "sleeping" : "awake") }, termination: { print($0) }).dispose(in: bag)
/// ```
///
/// It connects by itself, and connects again after the bus has ended. Then it restores the observed streams, exported
/// objects, and names. Pending calls fail with `disconnected` when the connection is lost, and so do calls while there
/// is none.
///
/// Objects and streams of the connection retain it. When nothing refers to it, it is closed. It keeps the loop running
/// while a call is pending, a stream has an observer, an object is exported, or a name is owned.
///
/// Confined to the loop on which it is made. Everything is delivered in the order in which it arrives, and the
/// connection may be used and closed in every delivery. There is no backpressure: pausing an observer does not pause
/// the senders.
public final class DBusConnection {
  let client: Client
  private let matches: Multiplexer<RuleKey, DBusMessage, DBusError>
  private let names: Multiplexer<NameRequest, DBusNameState, DBusError>
  // Closes at home if the last reference is released in another domain.
  private let bag = DisposeBag()

  /// Begins to connect, and does not wait.
  ///
  /// - Parameters:
  ///   - address: The bus.
  ///   - delay: The time until the next attempt after the connection is lost or cannot be made.
  ///   - loop: The loop of this thread.
  /// - Throws: An error if the loop is closed, or there is no memory.
  public init(
    to address: DBusAddress, retryingAfter delay: Duration = .seconds(1), on loop: Loop = .current
  ) throws(UVError) {
    let client = try Client(address, retryingAfter: delay, on: loop)
    self.client = client
    matches = Multiplexer { client.signals($0.rule) }
    names = Multiplexer { client.owning($0) }
    BlockDisposable { client.close() }.dispose(in: bag)
  }

  /// A state of a connection.
  public enum State: Hashable, Sendable {
    /// It connects. Messages are queued until it is connected.
    case connecting
    /// It is connected, and the bus has given it this unique name, for example `:1.42`.
    case connected(as: String)
    /// There is no connection, and it will be tried again.
    case waiting(reason: String)
    /// It has been closed.
    case closed
  }

  /// The state of the connection.
  public var state: AnyProperty<State> { client.state.readOnlyView }

  /// Closes the connection. Streams complete, pending calls fail with `closed`, and exported objects are removed. A
  /// second call does nothing.
  public func close() { client.close() }

  // MARK: Other programs

  /// An interface of an object of another program.
  ///
  /// - Parameters:
  ///   - destination: The name of the program.
  ///   - path: The path of the object.
  ///   - interface: The interface.
  public func object(_ destination: String, at path: DBusObjectPath, interface: String) -> DBusObject {
    DBusObject(self, DBusTarget(destination: destination, path: path, interface: interface))
  }

  /// The signals that match a rule.
  ///
  /// The first observer of a rule adds it to the bus, and the last one removes it. After the connection was lost, the
  /// stream continues with the next connection; signals that were sent meanwhile are missing. Completes when the
  /// connection is closed, and fails if the bus refuses the rule.
  ///
  /// If the sender of the rule is a well-known name, the connection observes the owner of the name, and drops the
  /// signals of other programs. Any program can send a signal directly to another one.
  public func signals(matching rule: DBusRule) -> Operation<DBusMessage, DBusError> {
    let shared = matches.stream(for: RuleKey(rule))
    guard let sender = rule.sender, !sender.hasPrefix(":"), sender != DBusTarget.bus.destination else {
      return keeping(shared)
    }
    let owners = client.owner(of: sender)
    return keeping(
      Operation { observer in
        var owner: String?
        let parts = CompositeDisposable()
        parts += owners.observe(
          next: { owner = $0 }, termination: { if case .failed(let error) = $0 { observer.failed(error) } })
        parts += shared.observe(
          next: { if $0.sender == owner { observer.next($0) } }, termination: { observer.terminate($0) })
        return parts
      })
  }

  /// The unique name of the program that owns a name, now and each time that it changes; nil if there is none.
  ///
  /// Emits nil while there is no connection.
  public func owner(of name: String) -> Operation<String?, DBusError> { keeping(client.owner(of: name)) }

  // MARK: This program

  /// Owns a name while the stream has an observer, and emits the states of the name.
  ///
  /// After the connection was lost, the name is requested again. The stream fails with `nameTaken` if another program
  /// owns the name, unless it may be replaced or this one waits for it.
  ///
  /// - Parameters:
  ///   - name: A name such as `org.example.Player`.
  ///   - allowsReplacement: True if another program may take the name over.
  ///   - replaces: True if the name is taken over from an owner that allows it.
  ///   - waits: True if this program becomes the owner when the others are gone.
  public func owning(
    _ name: String, allowsReplacement: Bool = false, replaces: Bool = false, waits: Bool = false
  ) -> Operation<DBusNameState, DBusError> {
    let flags = UInt32(allowsReplacement ? 1 : 0) | (replaces ? 2 : 0) | (waits ? 0 : 4)
    return keeping(names.stream(for: NameRequest(name: name, flags: flags)))
  }

  /// Exports an object with interfaces until the returned disposable is disposed.
  ///
  /// Other programs can call it as soon as the connection is made. Export objects before you own a name, so that
  /// programs that wait for the name find them.
  ///
  /// Disposing cancels the methods that run. Their callers, and programs that call the object later, receive the error
  /// `org.freedesktop.DBus.Error.UnknownObject`. A method that disposes its own object and then returns without waiting still
  /// answers.
  ///
  /// - Parameter maximumCalls: How many calls of its methods may run at the same time. Further ones fail with
  ///   `org.freedesktop.DBus.Error.LimitsExceeded`.
  /// - Throws: `invalid` if the path is not valid, or an object is already exported there.
  public func export(
    _ interfaces: DBusInterface..., at path: DBusObjectPath, maximumCalls: Int = 1024
  ) throws(DBusError) -> any Disposable {
    try ExportedObject(interfaces, at: path, maximumCalls: maximumCalls, client).export()
  }

  /// Keeps this connection for as long as the stream is observed.
  func keeping<Element>(_ stream: Operation<Element, DBusError>) -> Operation<Element, DBusError> {
    Operation { [self] observer in
      let subscription = stream.observe(next: { observer.next($0) }, termination: { observer.terminate($0) })
      return BlockDisposable { [self] in withExtendedLifetime(self) { subscription.dispose() } }
    }
  }
}

@available(*, unavailable)
extension DBusConnection: Sendable {}

/// The state of a name that this program has requested.
public enum DBusNameState: Hashable, Sendable {
  /// This program owns the name.
  case owned
  /// Another program owns the name. This program becomes the owner when that one has released it.
  case waiting
  /// Another program has taken the name over, or the connection was lost.
  case lost
}
