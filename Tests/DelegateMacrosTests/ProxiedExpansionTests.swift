#if Macros
import Testing

/// The whole class that `@Proxied` generates.
@Suite struct ProxiedExpansionTests {
  @Test func `two requirements of a public protocol of the main actor`() {
    expectExpansion(
      """
      @Proxied @MainActor
      public protocol TableDelegate: AnyObject {
        func table(_ table: Table, didSelect row: Int)
        func table(_ table: Table, heightOf row: Int) -> Double
      }
      """,
      is: """
        @MainActor
        public protocol TableDelegate: AnyObject {
          func table(_ table: Table, didSelect row: Int)
          func table(_ table: Table, heightOf row: Int) -> Double
        }

        /// A proxy for `TableDelegate`, with a slot for each requirement.
        nonisolated public final class TableDelegateProxy: DelegateMacros::ProtocolProxy<any TableDelegate>, TableDelegate, DelegateMacros::NamedSlots {
          /// The slot of `table(_:didSelect:)`.
          public let didSelect = DelegateMacros::ProxyMethod<Void, Table, Int>()
          @MainActor public func table(_ table: Table, didSelect row: Int) {
            self.call(self.didSelect, (table, row)) { $0.table(table, didSelect: row) }
          }

          /// The slot of `table(_:heightOf:)`.
          public let heightOf = DelegateMacros::ProxyMethod<Double, Table, Int>()
          @MainActor public func table(_ table: Table, heightOf row: Int) -> Double {
            self.call(self.heightOf, (table, row)) { $0.table(table, heightOf: row) }
          }

          /// Creates a proxy that answers with the given closures.
          public convenience init(
            didSelect: ((Table, Int) -> Void)? = nil,
            heightOf: ((Table, Int) -> Double)? = nil,
            isolation _isolation: (any Swift::Actor)? = #isolation
          ) {
            self.init()
            if let didSelect { self.didSelect.replaceAnswer(isolation: _isolation) { (argument0, argument1) -> Void in didSelect(argument0, argument1) } }
            if let heightOf { self.heightOf.replaceAnswer(isolation: _isolation) { (argument0, argument1) -> Double in heightOf(argument0, argument1) } }
          }

          public func slots(named name: Swift::String) -> [DelegateMacros::AnyProxySlot] {
            switch name {
            case "table(_:didSelect:)": [self.didSelect]
            case "table(_:heightOf:)": [self.heightOf]
            default: []
            }
          }
        }
        """)
  }

  @Test func `no requirement`() {
    expectExpansion(
      "@Proxied private protocol Empty {}",
      is: """
        private protocol Empty {}

        /// A proxy for `Empty`, with a slot for each requirement.
        @DelegateMacros::SecondConformer
        nonisolated private class EmptyProxy: DelegateMacros::ProtocolProxy<any Empty>, Empty, DelegateMacros::NamedSlots {
          func slots(named name: Swift::String) -> [DelegateMacros::AnyProxySlot] {
            []
          }
        }
        """)
  }

  @Test func `closures for properties, subscripts, methods that throw, and closures that take closures`() {
    expectExpansion(
      """
      @Proxied(inheriting: (any Named).self)
      protocol Source: AnyObject, Named {
        var name: String { get set }
        subscript(_: Int) -> String { get }
        func load(_ done: @escaping (Int) -> Void) throws(LoadError)
        func stop()
      }
      """,
      is: """
        protocol Source: AnyObject, Named {
          var name: String { get set }
          subscript(_: Int) -> String { get }
          func load(_ done: @escaping (Int) -> Void) throws(LoadError)
          func stop()
        }

        // If it inherits from a protocol that is Sendable, let 'Source' inherit from Sendable, too. A proxy cannot inherit from a class.
        /// A proxy for `Source`, with a slot for each requirement.
        @DelegateMacros::SecondConformer
        nonisolated class SourceProxy: DelegateMacros::ProtocolProxy<any Source>, Source, DelegateMacros::NamedSlots {
          /// The slots of `name`.
          let nameSlot = DelegateMacros::ProxyProperty<String>()
          var name: String {
            get { self.call(self.nameSlot.getter, ()) { $0.name } }
            set { self.call(self.nameSlot.setter, (newValue)) { $0.name = newValue } }
          }

          /// The slot for reading of `subscript(_:)`.
          let subscriptGetter = DelegateMacros::ProxyMethod<String, Int>()
          subscript(argument0: Int) -> String {
            get { self.call(self.subscriptGetter, (argument0)) { $0[argument0] } }
          }

          /// The slot of `load(_:)`.
          let load = DelegateMacros::ProxySlot<LoadError, Void, (Int) -> Void>()
          func load(_ done: @escaping (Int) -> Void) throws(LoadError) {
            try self.call(self.load, (done)) { (forwardee) throws(LoadError) -> Void in try forwardee.load(done) }
          }

          /// The slot of `stop()`.
          let stopSlot = DelegateMacros::ProxyMethod<Void>()
          func stop() {
            self.call(self.stopSlot, ()) { $0.stop() }
          }

          /// Creates a proxy that answers with the given closures.
          convenience init(
            name: (() -> String)? = nil,
            setName: ((String) -> Void)? = nil,
            getSubscript: ((Int) -> String)? = nil,
            load: ((@escaping (Int) -> Void) throws(LoadError) -> Void)? = nil,
            stop: (() -> Void)? = nil,
            isolation _isolation: (any Swift::Actor)? = #isolation
          ) {
            self.init()
            if let name { self.nameSlot.getter.replaceAnswer(isolation: _isolation) { () -> String in name() } }
            if let setName { self.nameSlot.setter.replaceAnswer(isolation: _isolation) { (argument0) -> Void in setName(argument0) } }
            if let getSubscript { self.subscriptGetter.replaceAnswer(isolation: _isolation) { (argument0) -> String in getSubscript(argument0) } }
            if let load { self.load.replaceAnswer(isolation: _isolation) { (argument0) throws(LoadError) -> Void in try load(argument0) } }
            if let stop { self.stopSlot.replaceAnswer(isolation: _isolation) { () -> Void in stop() } }
          }

          func slots(named name: Swift::String) -> [DelegateMacros::AnyProxySlot] {
            switch name {
            case "load(_:)": [self.load]
            case "stop": [self.stopSlot]
            default: []
            }
          }
        }
        """)
  }

  @Test func `a protocol of another module, with overloads`() {
    expectExpansion(
      """
      @Proxied(mirroring: (any Foreign.Sink).self)
      protocol Sink {
        func put(_ value: Int)
        func put(_ value: String)
        @Unproxied static var version: Int { get }
      }
      """,
      is: """
        protocol Sink {
          func put(_ value: Int)
          func put(_ value: String)
          static var version: Int { get }
        }

        /// A proxy for `Foreign.Sink`, with a slot for each requirement.
        @DelegateMacros::SecondConformer
        nonisolated class SinkProxy: DelegateMacros::ProtocolProxy<any Foreign.Sink>, Foreign.Sink, DelegateMacros::NamedSlots {
          /// The slot of `put(_:)`.
          let putInt = DelegateMacros::ProxyMethod<Void, Int>()
          func put(_ value: Int) {
            self.call(self.putInt, (value)) { $0.put(value) }
          }

          /// The slot of `put(_:)`.
          let putString = DelegateMacros::ProxyMethod<Void, String>()
          func put(_ value: String) {
            self.call(self.putString, (value)) { $0.put(value) }
          }

          /// Creates a proxy that answers with the given closures.
          convenience init(
            putInt: ((Int) -> Void)? = nil,
            putString: ((String) -> Void)? = nil,
            isolation _isolation: (any Swift::Actor)? = #isolation
          ) {
            self.init()
            if let putInt { self.putInt.replaceAnswer(isolation: _isolation) { (argument0) -> Void in putInt(argument0) } }
            if let putString { self.putString.replaceAnswer(isolation: _isolation) { (argument0) -> Void in putString(argument0) } }
          }

          func slots(named name: Swift::String) -> [DelegateMacros::AnyProxySlot] {
            switch name {
            case "put(_:)": [self.putInt, self.putString]
            default: []
            }
          }
        }
        """)
  }

  @Test func `associated types become parameters of the class`() {
    expectExpansion(
      """
      @Proxied protocol Sink<Item, Failure>: AnyObject {
        associatedtype Item: Hashable
        associatedtype Failure: Error where Failure: Equatable
        func put(_ item: Item) throws(Failure)
      }
      """,
      is: """
        protocol Sink<Item, Failure>: AnyObject {
          associatedtype Item: Hashable
          associatedtype Failure: Error where Failure: Equatable
          func put(_ item: Item) throws(Failure)
        }

        /// A proxy for `Sink`, with a slot for each requirement.
        @DelegateMacros::SecondConformer
        nonisolated class SinkProxy<Item: Hashable, Failure: Error>: DelegateMacros::ProtocolProxy<any Sink<Item, Failure>>, Sink, DelegateMacros::NamedSlots where Failure: Equatable {
          /// The slot of `put(_:)`.
          let put = DelegateMacros::ProxySlot<Failure, Void, Item>()
          func put(_ item: Item) throws(Failure) {
            try self.call(self.put, (item)) { (forwardee) throws(Failure) -> Void in try forwardee.put(item) }
          }

          /// Creates a proxy that answers with the given closures.
          convenience init(
            put: ((Item) throws(Failure) -> Void)? = nil,
            isolation _isolation: (any Swift::Actor)? = #isolation
          ) {
            self.init()
            if let put { self.put.replaceAnswer(isolation: _isolation) { (argument0) throws(Failure) -> Void in try put(argument0) } }
          }

          func slots(named name: Swift::String) -> [DelegateMacros::AnyProxySlot] {
            switch name {
            case "put(_:)": [self.put]
            default: []
            }
          }
        }
        """)
  }

  @Test func `what is compiled under a condition is generated under it`() {
    expectExpansion(
      """
      @Proxied protocol Sink {
        func put(_ item: Int)
        #if os(Linux)
        func poll(_ item: Int)
        #elseif DEBUG
        #if VERBOSE
        func log(_ item: Int)
        #endif
        #else
        func trace(_ item: Int)
        #endif
      }
      """,
      is: """
        protocol Sink {
          func put(_ item: Int)
          #if os(Linux)
          func poll(_ item: Int)
          #elseif DEBUG
          #if VERBOSE
          func log(_ item: Int)
          #endif
          #else
          func trace(_ item: Int)
          #endif
        }

        /// A proxy for `Sink`, with a slot for each requirement.
        @DelegateMacros::SecondConformer
        nonisolated class SinkProxy: DelegateMacros::ProtocolProxy<any Sink>, Sink, DelegateMacros::NamedSlots {
          /// The slot of `put(_:)`.
          let put = DelegateMacros::ProxyMethod<Void, Int>()
          func put(_ item: Int) {
            self.call(self.put, (item)) { $0.put(item) }
          }

          #if os(Linux)
          /// The slot of `poll(_:)`.
          let poll = DelegateMacros::ProxyMethod<Void, Int>()
          func poll(_ item: Int) {
            self.call(self.poll, (item)) { $0.poll(item) }
          }
          #elseif DEBUG
          #if VERBOSE
          /// The slot of `log(_:)`.
          let log = DelegateMacros::ProxyMethod<Void, Int>()
          func log(_ item: Int) {
            self.call(self.log, (item)) { $0.log(item) }
          }
          #endif
          #else
          /// The slot of `trace(_:)`.
          let trace = DelegateMacros::ProxyMethod<Void, Int>()
          func trace(_ item: Int) {
            self.call(self.trace, (item)) { $0.trace(item) }
          }
          #endif

          /// Creates a proxy that answers with the given closures.
          convenience init(
            put: ((Int) -> Void)? = nil,
            isolation _isolation: (any Swift::Actor)? = #isolation
          ) {
            self.init()
            if let put { self.put.replaceAnswer(isolation: _isolation) { (argument0) -> Void in put(argument0) } }
          }

          func slots(named name: Swift::String) -> [DelegateMacros::AnyProxySlot] {
            switch name {
            case "put(_:)": [self.put]
            default: []
            }
          }
        }
        """)
  }

  @Test func `what an extension of the protocol does by default`() {
    expectExpansion(
      """
      @Proxied protocol P: AnyObject {
        @Defaulted func a() -> Int
        func b(_ x: inout Int)
      }
      """,
      is: """
        protocol P: AnyObject {
          func a() -> Int
          func b(_ x: inout Int)
        }

        /// A proxy for `P`, with a slot for each requirement.
        @DelegateMacros::SecondConformer
        nonisolated class PProxy: DelegateMacros::ProtocolProxy<any P>, P, DelegateMacros::NamedSlots {
          /// The slot of `a()`.
          let aSlot = DelegateMacros::ProxyMethod<Int>()
          func a() -> Int {
            self.call(self.aSlot, (), default: ASlotDefault(self).a()) { $0.a() }
          }

          /// The slot of `b(_:)`.
          let b = DelegateMacros::ProxyMethod<Void, DelegateMacros::InOut<Int>>()
          func b(_ x: inout Int) {
            let boxX = DelegateMacros::InOut(x)
            defer { x = boxX.value }
            self.call(self.b, (boxX)) { $0.b(&boxX.value) }
          }

          /// Creates a proxy that answers with the given closures.
          convenience init(
            a: (() -> Int)? = nil,
            b: ((DelegateMacros::InOut<Int>) -> Void)? = nil,
            isolation _isolation: (any Swift::Actor)? = #isolation
          ) {
            self.init()
            if let a { self.aSlot.replaceAnswer(isolation: _isolation) { () -> Int in a() } }
            if let b { self.b.replaceAnswer(isolation: _isolation) { (argument0) -> Void in b(argument0) } }
          }

          func slots(named name: Swift::String) -> [DelegateMacros::AnyProxySlot] {
            switch name {
            case "a": [self.aSlot]
            case "b(_:)": [self.b]
            default: []
            }
          }

          /// Calls the implementation of `a()` in an extension of `P`.
          nonisolated private final class ASlotDefault: P {
            private let _proxy: any P
            init(_ proxy: any P) { self._proxy = proxy }
            func b(_ x: inout Int) {
              self._proxy.b(&x)
            }
          }
        }
        """)
  }
}
#endif
