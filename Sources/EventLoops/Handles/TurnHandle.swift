import Callbacks

/// Calls back on each iteration of a loop. The base class of `CheckHandle`, `PrepareHandle`, and `IdleHandle`.
public class TurnHandle: Handle {
  private var action: () -> Void = {}

  /// Calls `action` on each loop iteration from now on. Replaces the previous closure. Does nothing after `dispose()`.
  public final func start(_ action: @escaping () -> Void) {
    if isDisposed { return }
    loop.check()
    self.action = action
    begin()
  }

  /// Stops the calls. Call `start` to start them again.
  public final func stop() {
    if isDisposed { return }
    loop.check()
    end()
    action = {}
  }

  /// Makes libuv call `fire`. Subclasses override it. libuv fails only if there is no function to call.
  func begin() {}

  /// Makes libuv stop calling `fire`. Subclasses override it.
  func end() {}

  /// The function that libuv calls.
  static func fire(_ data: UnsafeMutableRawPointer?) {
    let handle = unsafeDowncast(UntilClosed<Handle>.borrow(data), to: TurnHandle.self)
    let action = handle.action
    action()
  }

  override func willFree() { action = {} }
}
