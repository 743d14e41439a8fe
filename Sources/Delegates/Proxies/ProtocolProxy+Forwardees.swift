public import Streams

extension ProtocolProxy {
  /// Who gets what is called on the proxy; held weakly. Setting it replaces all forwardees, nil takes them away.
  ///
  /// It is called after the handler and before those who observe `didInvoke`. One that has died is as good as none.
  public final var forwardTo: Delegate? {
    get { firstAlive }
    set { setForwardee(newValue) }
  }

  private final var firstAlive: Delegate? {
    for forwardee in forwardees { if let delegate = forwardee.current { return delegate } }
    return nil
  }

  /// The same, and has the proxy keep it where `retaining` says so.
  public final func setForwardee(_ delegate: Delegate?, retaining: Bool = false) {
    update(delegate.map { [Forwardee($0, retaining: retaining)] } ?? [])
  }

  /// All forwardees that are still there, in the order in which they came.
  public final var allForwardees: [Delegate] { forwardees.compactMap(\.current) }

  /// Makes `delegate` the forwardee where there is none; throws, and changes nothing, where there is one.
  ///
  /// Disposing of what it returns takes the forwardee away, unless another has taken its place.
  @discardableResult
  public final func installForwardee(
    _ delegate: Delegate, retaining: Bool = false
  ) throws(ForwardeeInPlace) -> ForwardeeInstallation<Delegate> {
    if let current = firstAlive { throw ForwardeeInPlace(type: "\(Swift.type(of: current as Any))") }
    return replaceForwardee(delegate, retaining: retaining)
  }

  /// Makes `delegate` the forwardee instead of those that there are; what it returns tells which that were.
  ///
  /// Disposing of it puts them back, as they were held before, unless others have taken their place meanwhile.
  @discardableResult
  public final func replaceForwardee(
    _ delegate: Delegate, retaining: Bool = false
  ) -> ForwardeeInstallation<Delegate> {
    let before = forwardees
    let forwardee = Forwardee(delegate, retaining: retaining)
    update([forwardee])
    return ForwardeeInstallation(displaced: before.compactMap(\.current)) { [weak self] in
      forwardee.successors = before
      guard let self, forwardees.count == 1, forwardees[0] === forwardee else { return }
      update(before.flatMap(\.standing))
    }
  }

  /// Adds a forwardee to those that there are. Each gets every call without a result; who answers the others is up to the
  /// slot's `forwardeeRule`. Disposing of what it returns takes this one away.
  @discardableResult
  public final func addForwardee(_ delegate: Delegate, retaining: Bool = false) -> any Disposable {
    let forwardee = Forwardee(delegate, retaining: retaining)
    // Those that have died make room.
    let others = forwardees.filter(\.isAlive)
    update(others + [forwardee])
    return BlockDisposable { [weak self] in
      forwardee.successors = []
      guard let self else { return }
      if forwardees.contains(where: { $0 === forwardee }) { update(forwardees.filter { $0 !== forwardee }) }
    }
  }

  final func update(_ new: [Forwardee<Delegate>]) {
    if new.contains(where: { $0.leads(to: self) }) {
      misuse(
        "\(Swift.type(of: self)) would forward to itself without end. Forward to the delegate that it replaced.")
    }
    // Released when the proxy is whole again.
    let old = forwardees
    forwardees = new
    first = new.first.map { .passUnretained($0) }
    route = UInt8(min(new.count, 2))
    didChange()
    withExtendedLifetime(old) {}
  }
}

/// A forwardee is in place already.
public struct ForwardeeInPlace: Error, Hashable, CustomStringConvertible {
  /// The type of the one that is in place.
  public let type: String

  /// The error where one of this type is in place.
  public init(type: String) { self.type = type }

  /// What to do about it.
  public var description: String {
    "A \(type) is the forwardee already. Use replaceForwardee(_:), which returns the one it replaces, or addForwardee(_:)."
  }
}

/// A forwardee's stay in its proxy. Disposing of it puts back what it has displaced.
public final class ForwardeeInstallation<Delegate>: Disposable {
  /// Who were forwardees before, as far as they are still there. Held until this is disposed of or let go.
  public private(set) var displaced: [Delegate]
  private let block: BlockDisposable

  init(displaced: [Delegate], _ block: @escaping () -> Void) {
    self.displaced = displaced
    self.block = BlockDisposable(block)
  }

  /// True after `dispose()`.
  public var isDisposed: Bool { block.isDisposed }

  /// Puts back what was there before. Idempotent.
  public func dispose() {
    block.dispose()
    displaced = []
  }
}

@available(*, unavailable)
extension ForwardeeInstallation: Sendable {}
