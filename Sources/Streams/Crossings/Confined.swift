/// A Sendable box around a value that is confined to another domain. Use it to change a property or to dispose a bag from another
/// thread.
///
/// ```swift
/// let progress = Confined(PushStream<Int>())         // made at home
/// DispatchQueue.global().async { progress.async { $0.next(100) } }
/// ```
///
/// Only code in the home domain can use the value: `async` runs a closure with it there, in the order of one thread's calls. The
/// value is also released in the home domain.
public final class Confined<Value>: @unchecked Sendable {
  // Sendable: only jobs at home read and release `value`. `home` is Sendable.
  private let value: Transfer<Slot>
  private let home: any Mailbox

  private final class Slot {
    var value: Value?

    init(_ value: Value?) { self.value = value }
  }

  /// Creates a box around a value of the caller's domain. The caller can still use the value there.
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

  /// Creates a box around a value of the domain of `home`, which is the caller's.
  init(_ value: Value, here home: any Mailbox) {
    self.home = home
    self.value = Transfer(Slot(value))
  }

  /// Creates the value at `home`, before any closure that is sent to it runs.
  public init(at home: any Mailbox, _ make: sending @escaping () -> Value) {
    self.home = home
    value = Transfer(Slot(nil))
    let (value, make) = (value, Transfer(make))
    home.post { value.value.value = make.value() }
  }

  /// Runs `body` with the value in the home domain. Returns false if the home has closed; `body` is then released
  /// without running.
  @discardableResult
  public func async(_ body: sending @escaping (Value) -> Void) -> Bool {
    let body = Transfer(body)
    // The job retains the box, so that its release at home does not take the value from jobs that were sent before.
    return home.post { [self] in
      if let value = value.value.value { body.value(value) }
    }
  }

  /// Like `async`, but also runs `body` while the home is closing. For necessary work, such as a release.
  func asyncWhileClosing(_ body: sending @escaping (Value) -> Void) {
    let body = Transfer(body)
    _ = home.postWhileClosing { [self] in
      if let value = value.value.value { body.value(value) }
    }
  }

  deinit {
    let value = value
    if home.isCurrent == true {
      value.value.value = nil
    } else {
      // A home that is closing still runs code, which must not meet a deinitializer on this thread.
      _ = home.postWhileClosing { value.value.value = nil }
    }
  }
}
