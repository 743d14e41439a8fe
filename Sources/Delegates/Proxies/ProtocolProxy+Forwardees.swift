public import Streams

extension ProtocolProxy {
  /// The delegate that receives the calls of this proxy, held weakly. Setting it replaces all forwardees; nil removes them.
  ///
  /// It is called after the handler and before the observers of `didInvoke`. A forwardee that has been deallocated is
  /// ignored.
  public final var forwardTo: Delegate? {
    get { firstAlive }
    set { setForwardee(newValue) }
  }

  private final var firstAlive: Delegate? {
    for forwardee in currentForwardees { if let delegate = forwardee.current { return delegate } }
    return nil
  }

  /// Replaces all forwardees with `delegate`, and retains it if `retaining` is true. Nil removes all forwardees.
  public final func setForwardee(_ delegate: Delegate?, retaining: Bool = false) {
    forward(to: delegate.map { [Forwardee($0, retaining: retaining)] } ?? [])
  }

  /// All forwardees that are not deallocated, in the order in which they were added.
  public final var allForwardees: [Delegate] { currentForwardees.compactMap(\.current) }

  private final var hasEndedForwardee: Bool {
    // Without an iterator, which a debug build allocates.
    for index in 0..<forwardees.count where forwardees[index].successors != nil { return true }
    return false
  }

  /// The forwardees without proxies that left a `DelegateChain` after this one had left it.
  final var currentForwardees: [Forwardee<Delegate>] {
    if hasEndedForwardee { _ = setSources(sources) }
    return forwardees
  }

  /// Makes `delegate` the forwardee if the proxy has no forwardee. Throws, and changes nothing, if it has one.
  ///
  /// Disposing the result removes the forwardee, unless another one has replaced it.
  @discardableResult
  public final func installForwardee(
    _ delegate: Delegate, retaining: Bool = false
  ) throws(ForwardeeInPlace) -> ForwardeeInstallation<Delegate> {
    if let current = firstAlive { throw ForwardeeInPlace(type: "\(Swift.type(of: current as Any))") }
    return replaceForwardee(delegate, retaining: retaining)
  }

  /// Replaces all forwardees with `delegate`. The result has the forwardees that were replaced.
  ///
  /// Disposing the result restores them, each held strongly or weakly as before, unless other forwardees have replaced
  /// `delegate`.
  @discardableResult
  public final func replaceForwardee(
    _ delegate: Delegate, retaining: Bool = false
  ) -> ForwardeeInstallation<Delegate> {
    let (before, displaced) = (sources, allForwardees)
    let forwardee = Forwardee(delegate, retaining: retaining)
    forwardee.isInstalled = true
    forward(to: [forwardee])
    return ForwardeeInstallation(displaced: displaced) { [weak self] in
      forwardee.successors = before
      forwardee.isInstalled = false
      self?.refresh()
    }
  }

  /// Adds a forwardee. Each forwardee receives every call without a result. For a call with a result, the slot's
  /// `forwardeeRule` decides which of them answers.
  ///
  /// Disposing the result removes this forwardee, also from a call that has not reached it yet. A forwardee that is added during
  /// a call receives the next one.
  @discardableResult
  public final func addForwardee(_ delegate: Delegate, retaining: Bool = false) -> any Disposable {
    let forwardee = Forwardee(delegate, retaining: retaining)
    forward(to: sources.filter(\.mayForward) + [forwardee])
    return BlockDisposable { [weak self] in
      forwardee.successors = []
      forwardee.isRemoved = true
      self?.refresh()
    }
  }

  /// Replaces all sources. Traps if one of them leads to this proxy.
  final func forward(to new: [Forwardee<Delegate>]) {
    if new.contains(where: { $0.standing.contains { $0.leads(to: self) } }) {
      misuse(
        "\(Swift.type(of: self)) would forward to itself without end. Forward to the delegate that it replaced.")
    }
    if setSources(new) { didChange() }
  }

  /// Passes over proxies that have left a `DelegateChain`.
  final func skip(_ leaving: [Installation<Delegate>]) {
    for source in sources where source.successors == nil {
      guard let installation = leaving.first(where: { $0.isProxy(of: source) }) else { continue }
      source.successors = [installation.behind]
    }
    refresh()
  }

  /// Finds out again which forwardees receive the calls.
  final func refresh() { if setSources(sources) { didChange() } }

  /// Returns whether the forwardees are different ones now.
  final func setSources(_ new: [Forwardee<Delegate>]) -> Bool {
    // Released last, because their deinit may use the proxy.
    let old = (sources, forwardees)
    defer { withExtendedLifetime(old) {} }
    sources = new.flatMap(\.replacement)
    forwardees = []
    for source in sources {
      for forwardee in source.standing where !forwardee.leads(to: self) {
        // The same delegate can be behind this proxy at two properties.
        let isFound = source !== forwardee && forwardee.identity != nil
        if isFound, forwardees.contains(where: { $0.identity == forwardee.identity }) { continue }
        forwardees.append(forwardee)
      }
    }
    first = forwardees.first.map { .passUnretained($0) }
    route = UInt8(min(forwardees.count, 2))
    return !old.1.elementsEqual(forwardees, by: ===)
  }
}

/// The error of `installForwardee` if the proxy has a forwardee.
public struct ForwardeeInPlace: Error, Hashable, CustomStringConvertible {
  /// The type of the forwardee that is in place.
  public let type: String

  /// Creates the error for a forwardee of this type.
  public init(type: String) { self.type = type }

  /// A description of the error and of its fix.
  public var description: String {
    "A \(type) is the forwardee already. Use replaceForwardee(_:), which returns the one it replaces, or addForwardee(_:)."
  }
}

/// The registration of a forwardee in its proxy. Disposing it restores the forwardees that it displaced.
public final class ForwardeeInstallation<Delegate>: Disposable {
  /// The forwardees before this one that are not deallocated. Retained until this object is disposed or deallocated.
  public private(set) var displaced: [Delegate]
  private let block: BlockDisposable

  init(displaced: [Delegate], _ block: @escaping () -> Void) {
    self.displaced = displaced
    self.block = BlockDisposable(block)
  }

  /// True after `dispose()`.
  public var isDisposed: Bool { block.isDisposed }

  /// Restores the forwardees before this one. A second call does nothing.
  public func dispose() {
    block.dispose()
    displaced = []
  }
}

@available(*, unavailable)
extension ForwardeeInstallation: Sendable {}
