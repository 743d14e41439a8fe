/// A Sendable box around a value that is confined to another domain: the way to change a property or to end a bag from
/// another thread.
///
/// ```swift
/// let progress = Confined(PushStream<Int>())         // made at home
/// DispatchQueue.global().async { progress.async { $0.next(100) } }
/// ```
///
/// The value is never reached from outside: `async` runs a closure with it at home, in the order in which the calls were
/// made by one thread. It is released at home, too.
public final class Confined<Value>: @unchecked Sendable {
  // Sendable: `value` is read and released by jobs that run at home. `home` is itself Sendable.
  private let value: Transfer<Slot>
  private let home: any Mailbox

  private final class Slot {
    var value: Value?

    init(_ value: Value?) { self.value = value }
  }

  /// Boxes a value that belongs to the caller's domain. The caller may still use the value there.
  ///
  /// In code that is isolated to an actor, the compiler rejects sending the value to another domain.
  public init(_ value: Value, isolation: isolated (any Actor)? = #isolation) {
    guard let home = Home.current(isolation).mailbox else {
      misuse(
        """
        A Confined is made where the value lives: on a loop's thread, on the main actor or in an actor. Elsewhere give it \
        a home: Confined(at: queue) { … }.
        """)
    }
    self.home = home
    self.value = Transfer(Slot(value))
  }

  /// Boxes a value that belongs to the domain of `home`, which is the caller's.
  init(_ value: Value, here home: any Mailbox) {
    self.home = home
    self.value = Transfer(Slot(value))
  }

  /// Makes the value at `home`, before anything that is sent to it.
  public init(at home: any Mailbox, _ make: sending @escaping () -> Value) {
    self.home = home
    value = Transfer(Slot(nil))
    let (value, make) = (value, Transfer(make))
    home.post { value.value.value = make.value() }
  }

  /// Runs `body` with the value at home. False when home has closed: `body` is then released without running.
  @discardableResult
  public func async(_ body: sending @escaping (Value) -> Void) -> Bool {
    let body = Transfer(body)
    // The job keeps the box: letting go of it at home must not take the value from what was sent before.
    return home.post { [self] in
      if let value = value.value.value { body.value(value) }
    }
  }

  /// Runs `body` with the value, in place, if the caller is at home: for a home that is closing, and takes no jobs any more.
  func whereClosing(_ body: (Value) -> Void) {
    if home.isCurrent == true, let value = value.value.value { body(value) }
  }

  deinit {
    let value = value
    if home.isCurrent == true {
      value.value.value = nil
    } else {
      home.post { value.value.value = nil }
    }
  }
}
