#if Macros
import Testing

/// The code that `@Proxied` generates for each kind of requirement.
@Suite struct RequirementTests {
  @Test func `a method without parameters`() {
    #expect(
      members(for: "func finish()") == """
        /// The slot of `finish()`.
        let finishSlot = DelegateMacros::ProxyMethod<Void>()
        func finish() {
          self.call(self.finishSlot, ()) { $0.finish() }
        }
        """)
  }

  @Test func `a method with a result`() {
    #expect(
      members(for: "func table(_ table: Table, heightOf row: Int) -> Double") == """
        /// The slot of `table(_:heightOf:)`.
        let heightOf = DelegateMacros::ProxyMethod<Double, Table, Int>()
        func table(_ table: Table, heightOf row: Int) -> Double {
          self.call(self.heightOf, (table, row)) { $0.table(table, heightOf: row) }
        }
        """)
  }

  @Test func `a method with a default`() {
    #expect(
      members(for: "@Slot(default: 44) func height(of row: Int) -> Double") == """
        /// The slot of `height(of:)`.
        let height = DelegateMacros::ProxyMethod<Double, Int>()
        func height(of row: Int) -> Double {
          self.call(self.height, (row), default: 44) { $0.height(of: row) }
        }
        """)
  }

  @Test func `methods that throw, any error or one`() {
    #expect(
      members(for: "func parse(_ text: String) throws -> Int") == """
        /// The slot of `parse(_:)`.
        let parse = DelegateMacros::ThrowingProxyMethod<Int, String>()
        func parse(_ text: String) throws -> Int {
          try self.call(self.parse, (text)) { try $0.parse(text) }
        }
        """)
    #expect(
      members(for: "func parse(_ text: String) throws(ParseError)") == """
        /// The slot of `parse(_:)`.
        let parse = DelegateMacros::ProxySlot<ParseError, Void, String>()
        func parse(_ text: String) throws(ParseError) {
          try self.call(self.parse, (text)) { (forwardee) throws(ParseError) -> Void in try forwardee.parse(text) }
        }
        """)
  }

  @Test func `labels that are escaped in the protocol are escaped in calls only if they have to be`() {
    #expect(
      members(for: "func put(_ x: Int, `in` y: Int, `var` z: Int, `inout` w: Int)") == """
        /// The slot of `put(_:`in`:`var`:`inout`:)`.
        let put = DelegateMacros::ProxyMethod<Void, Int, Int, Int, Int>()
        func put(_ x: Int, `in` y: Int, `var` z: Int, `inout` w: Int) {
          self.call(self.put, (x, y, z, w)) { $0.put(x, in: y, var: z, `inout`: w) }
        }
        """)
  }

  @Test func `parameters without names, with keywords for names, and with ownership`() {
    #expect(
      members(for: "func put(_: Int, in: String, where place: borrowing String)") == """
        /// The slot of `put(_:in:where:)`.
        let put = DelegateMacros::ProxyMethod<Void, Int, String, String>()
        func put(_ argument0: Int, in: String, where place: String) {
          self.call(self.put, (argument0, `in`, place)) { $0.put(argument0, in: `in`, where: place) }
        }
        """)
  }

  @Test func `an inout parameter`() {
    #expect(
      members(for: "func adjust(_ size: inout Size, by factor: Int) -> Bool") == """
        \(mustCopy("Size"))
        /// The slot of `adjust(_:by:)`.
        let adjust = DelegateMacros::ProxyMethod<Bool, DelegateMacros::InOut<Size>, Int>()
        func adjust(_ size: inout Size, by factor: Int) -> Bool {
          let boxSize = DelegateMacros::InOut(size)
          defer { size = boxSize.value }
          return self.call(self.adjust, (boxSize, factor)) { $0.adjust(&boxSize.value, by: factor) }
        }
        """)
  }

  @Test func `a variadic parameter`() {
    #expect(
      members(for: "func log(_ words: String..., to file: File)") == """
        /// The slot of `log(_:to:)`.
        let log = DelegateMacros::ProxyMethod<Void, [String], File>()
        func log(_ words: String..., to file: File) {
          self.call(self.log, (words, file)) { DelegateMacros::spreading($0.log(_:to:) as (String..., File) -> Void, as: (([String], File) -> Void).self)(words, file) }
        }
        """)
  }

  @Test func `closures, kept and not`() {
    #expect(
      members(for: "func ask(_ answer: @escaping @Sendable (Int) -> Void, _ later: (() -> Void)?)") == """
        /// The slot of `ask(_:_:)`.
        let ask = DelegateMacros::ProxyMethod<Void, @Sendable (Int) -> Void, (() -> Void)?>()
        func ask(_ answer: @escaping @Sendable (Int) -> Void, _ later: (() -> Void)?) {
          self.call(self.ask, (answer, later)) { $0.ask(answer, later) }
        }
        """)
    #expect(
      members(for: "func each(_ body: (Int) -> Void) throws -> Int") == """
        /// The slot of `each(_:)`.
        let each = DelegateMacros::ThrowingProxyMethod<Int, (Int) -> Void>()
        func each(_ body: (Int) -> Void) throws -> Int {
          try Swift::withoutActuallyEscaping(body) { (body) throws -> Int in
            try self.call(self.each, (body)) { try $0.each(body) }
          }
        }
        """)
    #expect(
      members(for: "func log(_ text: @autoclosure () -> String)") == """
        /// The slot of `log(_:)`.
        let log = DelegateMacros::ProxyMethod<Void, () -> String>()
        func log(_ text: @autoclosure () -> String) {
          Swift::withoutActuallyEscaping(text) { (text) -> Void in
            self.call(self.log, (text)) { $0.log(text()) }
          }
        }
        """)
  }

  @Test func `properties`() {
    #expect(
      members(for: "var title: String { get }") == """
        /// The slot of `title`.
        let titleSlot = DelegateMacros::ProxyMethod<String>()
        var title: String {
          self.call(self.titleSlot, ()) { $0.title }
        }
        """)
    #expect(
      members(for: #"@Slot(default: "") var title: String { get set }"#) == """
        /// The slots of `title`.
        let titleSlot = DelegateMacros::ProxyProperty<String>()
        var title: String {
          get { self.call(self.titleSlot.getter, (), default: "") { $0.title } }
          set { self.call(self.titleSlot.setter, (newValue)) { $0.title = newValue } }
        }
        """)
    #expect(
      members(for: "var title: String { get throws(LoadError) }") == """
        /// The slot of `title`.
        let titleSlot = DelegateMacros::ProxySlot<LoadError, String>()
        var title: String {
          get throws(LoadError) {
            try self.call(self.titleSlot, ()) { (forwardee) throws(LoadError) -> String in try forwardee.title }
          }
        }
        """)
  }

  @Test func `subscripts`() {
    #expect(
      members(for: "subscript(row: Int, in section: Int) -> String { get set }") == """
        /// The slot for reading of `subscript(_:in:)`.
        let subscriptGetter = DelegateMacros::ProxyMethod<String, Int, Int>()
        /// The slot for setting of `subscript(_:in:)`.
        let subscriptSetter = DelegateMacros::ProxyMethod<Void, Int, Int, String>()
        subscript(row: Int, in section: Int) -> String {
          get { self.call(self.subscriptGetter, (row, section)) { $0[row, in: section] } }
          set { self.call(self.subscriptSetter, (row, section, newValue)) { $0[row, in: section] = newValue } }
        }
        """)
  }

  @Test func `asynchronous methods take their arguments from the slot`() {
    #expect(
      members(for: "func load(_ path: String, into box: inout Box) async throws -> Int") == """
        \(mustCopy("Box"))
        /// The slot of `load(_:into:)`.
        let load = DelegateMacros::AsyncThrowingProxyMethod<Int, String, DelegateMacros::InOut<Box>>()
        func load(_ path: String, into box: inout Box) async throws -> Int {
          let boxBox = DelegateMacros::InOut(box)
          defer { box = boxBox.value }
          return try await self.call(self.load, (path, boxBox)) { try await $0.load($1.0, into: &$1.1.value) }
        }
        """)
    #expect(
      members(for: "func keep(_ box: Box) async throws(Full)") == """
        /// The slot of `keep(_:)`.
        let keep = DelegateMacros::AsyncProxySlot<Full, Void, Box>()
        func keep(_ box: Box) async throws(Full) {
          try await self.call(self.keep, (box)) { (forwardee, arguments) async throws(Full) -> Void in try await forwardee.keep(arguments) }
        }
        """)
    #expect(
      members(for: "func close() async") == """
        /// The slot of `close()`.
        let closeSlot = DelegateMacros::AsyncProxyMethod<Void>()
        func close() async {
          await self.call(self.closeSlot, ()) { await $0.close() }
        }
        """)
  }

  @Test func `an asynchronous property is read where its getter runs`() {
    #expect(
      members(for: "var box: Box { get async }") == """
        \(mustCopy("Box"))
        /// The slot of `box`.
        let boxSlot = DelegateMacros::AsyncProxyMethod<Box>()
        var box: Box {
          get async {
            #if hasFeature(NonisolatedNonsendingByDefault)
            return await self.call(self.boxSlot, ()) { await $0.box }
            #else
            return await self.callConcurrently(self.boxSlot, ()) { await $0.box }
            #endif
          }
        }
        """)
    #expect(
      members(for: "var box: Box { get async }", of: "@MainActor protocol P: AnyObject") == """
        \(mustCopy("Box"))
        /// The slot of `box`.
        let boxSlot = DelegateMacros::AsyncProxyMethod<Box>()
        @MainActor var box: Box {
          get async {
            await self.call(self.boxSlot, ()) { await $0.box }
          }
        }
        """)
  }

  @Test func `a requirement has the actor of its protocol unless it says otherwise`() {
    let screen = "@MainActor protocol P: AnyObject"
    #expect(members(for: "func show()", of: screen).contains("\n@MainActor func show() {"))
    #expect(members(for: "var title: Int { get }", of: screen).contains("\n@MainActor var title: Int {"))
    #expect(members(for: "nonisolated func note()", of: screen).contains("\nnonisolated func note() {"))
    #expect(members(for: "@DiskActor func save()", of: screen).contains("\n@DiskActor func save() {"))
    #expect(members(for: "@concurrent func load() async", of: screen).contains("\n@concurrent func load() async {"))
  }

  @Test func `a concurrent property is read on the concurrent executor with all settings`() {
    let property = members(for: "@concurrent var count: Int { get async }")
    #expect(property.contains("callConcurrently") && !property.contains("#if"), "\(property)")
  }

  @Test func `a parameter with a name that the expansion uses`() {
    #expect(
      members(for: "func parse(_ forwardee: String) throws(Full)") == """
        /// The slot of `parse(_:)`.
        let parse = DelegateMacros::ProxySlot<Full, Void, String>()
        func parse(_ forwardee: String) throws(Full) {
          try self.call(self.parse, (forwardee)) { (_forwardee) throws(Full) -> Void in try _forwardee.parse(forwardee) }
        }
        """)
  }

  @Test func `attributes and nonisolated are carried over`() {
    #expect(
      members(for: "@MainActor @discardableResult nonisolated func save() -> Bool") == """
        /// The slot of `save()`.
        let saveSlot = DelegateMacros::ProxyMethod<Bool>()
        @MainActor @discardableResult nonisolated func save() -> Bool {
          self.call(self.saveSlot, ()) { $0.save() }
        }
        """)
  }
}

/// The line above a slot with a type that may be noncopyable.
private func mustCopy(_ type: String) -> String {
  """
  // A slot copies its values. If '\(type)' is noncopyable, pass a class that has it, or mark the requirement @Unproxied \
  if an extension of the protocol implements it.
  """
}
#endif
