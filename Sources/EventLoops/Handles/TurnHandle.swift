import Callbacks

/// Calls back on each turn of a loop: what `CheckHandle`, `PrepareHandle`, and `IdleHandle` have in common.
public class TurnHandle: Handle {
  private var action: () -> Void = {}

  /// Calls `action` on each turn from now on. Replaces what was started before. Does nothing after `dispose()`.
  public final func start(_ action: @escaping () -> Void) {
    if isDisposed { return }
    loop.check()
    self.action = action
    begin()
  }

  /// Stops it. `start` starts it again.
  public final func stop() {
    if isDisposed { return }
    loop.check()
    end()
    action = {}
  }

  /// For subclasses: has libuv call `fire`. It fails for a missing function only.
  func begin() {}

  /// For subclasses: takes that back.
  func end() {}

  /// What libuv calls.
  static func fire(_ data: UnsafeMutableRawPointer?) {
    let handle = unsafeDowncast(UntilClosed<Handle>.borrow(data), to: TurnHandle.self)
    let action = handle.action
    action()
  }

  override func willFree() { action = {} }
}
