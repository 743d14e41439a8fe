internal import Streams

#if canImport(Glibc)
private import Glibc
#endif

/// The way from an object back to itself through the objects that it refers to, read from memory.
///
/// A word that looks like the address of a Swift object is taken for a reference, so an `unowned` reference looks like a strong one.
/// Memory is read through the kernel, which refuses a wrong address. The layout is that of Swift objects on 64-bit Linux; elsewhere,
/// no path is found.
enum HeapPath {
  /// False if the kernel does not let the process read its memory, for example in a container with a strict filter of system calls.
  static var isReadable: Bool {
    #if os(Linux) && _pointerBitWidth(_64) && canImport(Glibc)
    return Heap.isReadable
    #else
    return true
    #endif
  }

  /// Returns the names of the objects on the shortest way from a subscription, or from the hot stream that retains it, back to itself
  /// that passes something of the user's, or nil.
  ///
  /// Every open subscription refers to its source, and that to it. So only a way counts that passes an object outside of the
  /// package, or a bag.
  static func cycle(of object: ObjectIdentifier) -> [String]? {
    #if os(Linux) && _pointerBitWidth(_64) && canImport(Glibc)
    var heap = Heap()
    let start = UInt(bitPattern: object)
    if let names = heap.cycle(of: start) { return ["subscription"] + names + ["subscription"] }
    guard let source = heap.hotSource(of: start), let names = heap.cycle(of: source) else { return nil }
    return ["hot stream"] + names + ["hot stream"]
    #else
    return nil
    #endif
  }
}

#if os(Linux) && _pointerBitWidth(_64) && canImport(Glibc)
private struct Heap {
  /// An object that was reached, also through an object of the user's or not.
  private struct Node: Hashable {
    let address: UInt
    let passesUser: Bool
  }

  private enum Kind {
    case ours(Any.Type)
    case users(Any.Type)
    case closure
  }

  /// An object, and the bytes of it that are initialized. What is behind them can be left from an object that had the memory before.
  private struct Object {
    let kind: Kind
    let size: Int
  }

  /// The addresses of files that are mapped: the objects there are constants.
  private let files = Heap.mappedFiles()
  private var objects: [UInt: Object?] = [:]

  mutating func cycle(of start: UInt) -> [String]? {
    guard object(at: start) != nil else { return nil }
    var origin: [Node: Node] = [:]
    let first = Node(address: start, passesUser: false)
    var queue = [first]
    var index = 0
    // Enough for a test, and a bound for one that leaves millions of objects.
    while index < queue.count, index < 50_000 {
      let node = queue[index]
      index += 1
      for address in references(of: node.address) {
        if address == start {
          if node.passesUser { return names(to: node, through: origin) }
          continue
        }
        guard let object = object(at: address) else { continue }
        var passesUser = node.passesUser
        if case .users = object.kind { passesUser = true }
        let next = Node(address: address, passesUser: passesUser)
        if origin[next] != nil { continue }
        origin[next] = node
        queue.append(next)
      }
    }
    return nil
  }

  private mutating func names(to last: Node, through origin: [Node: Node]) -> [String] {
    var names: [String] = []
    var node: Node? = last
    while let current = node, let previous = origin[current] {
      switch object(at: current.address)?.kind {
      case .users(let type)?: names.append(_typeName(type, qualified: false))
      case .closure?: names.append("closure")
      // What the package uses inside says nothing.
      case .ours?, nil: break
      }
      node = previous
    }
    var path: [String] = []
    for name in names.reversed() where name != path.last { path.append(name) }
    return path
  }

  /// The objects that an object seems to refer to.
  private mutating func references(of address: UInt) -> [UInt] {
    guard let object = object(at: address), var words = words(of: object, at: address) else { return [] }
    var isSubscription = false
    if case .ours(let type) = object.kind {
      isSubscription = type is Subscription.Type
      if type is HotSource.Type, let pointer = UnsafeRawPointer(bitPattern: address) {
        // Its observers are in memory of its own.
        let source = Unmanaged<HotSource>.fromOpaque(pointer).takeUnretainedValue()
        if let memory = source.observerMemory, let base = memory.baseAddress {
          words += Self.read(UInt(bitPattern: base), min(memory.count, 1 << 16) / 8) ?? []
        }
      }
    }
    return words.compactMap { word in
      // The low bits can tell the cases of an enum apart.
      let target = word & ~7
      guard let kind = self.object(at: target)?.kind else { return nil }
      // A subscription names its hot source without retaining it.
      if isSubscription, case .ours(let type) = kind, type is HotSource.Type { return nil }
      return target
    }
  }

  /// The words of an object after its header, without those of a hash table that hold no element.
  private func words(of object: Object, at address: UInt) -> [UInt]? {
    let most: UInt = 1 << 16
    if case .ours(let type) = object.kind {
      let name = _typeName(type)
      let isSet = name.hasPrefix("Swift._SetStorage<")
      if isSet || name.hasPrefix("Swift._DictionaryStorage<") {
        // The capacity as a power of two, the addresses of the elements, or of keys and values, and a bit for each that is there.
        guard let fields = Self.read(address, 8), fields[4] & 0xff < 32 else { return nil }
        let capacity = min(1 << (fields[4] & 0xff), most / 8)
        guard let bits = Self.read(address + (isSet ? 56 : 64), Int(capacity + 63) / 64) else { return nil }
        let (first, end) = (fields[6], address + UInt(object.size))
        let areas: [(UInt, UInt)] = isSet ? [(first, end)] : [(first, fields[7]), (fields[7], end)]
        let taken = (0..<capacity).filter { bits[Int($0 / 64)] >> ($0 % 64) & 1 != 0 }
        var words: [UInt] = []
        for (start, end) in areas where end > start {
          // References are aligned, so that other elements need not be read.
          let size = (end - start) / capacity & ~7
          if size == 0 || size > most { continue }
          for index in taken { words += Self.read(start + index * size, Int(size / 8)) ?? [] }
        }
        return words
      }
    }
    return Self.read(address, Int(min(UInt(object.size), most)) / 8).map { Array($0.dropFirst(2)) }
  }

  /// The hot source that has a subscription as an observer.
  mutating func hotSource(of subscription: UInt) -> UInt? {
    guard let object = object(at: subscription), let words = Self.read(subscription, object.size / 8) else {
      return nil
    }
    return words.dropFirst(2).first { word in
      if case .ours(let type)? = self.object(at: word)?.kind { return type is HotSource.Type }
      return false
    }
  }

  private mutating func object(at address: UInt) -> Object? {
    if let known = objects[address] { return known }
    let object = readObject(at: address)
    objects[address] = .some(object)
    return object
  }

  private func readObject(at address: UInt) -> Object? {
    if address & 15 != 0 || address < 4096 || files.contains(where: { $0.contains(address) }) { return nil }
    guard let header = Self.read(address, 2), header[0] & 7 == 0, header[1] != 0,
      let metadata = Self.read(header[0], 6)
    else { return nil }
    switch metadata[0] {
    // A closure's context or a box.
    case 0x400, 0x500, 0x501: return Object(kind: .closure, size: sizeOfAllocation(address))
    case 0:
      let (size, alignment) = (metadata[3] & 0xffff_ffff, metadata[3] >> 32 & 0xffff)
      guard size >= 16, size < 1 << 20, [7, 15, 31, 63].contains(alignment), metadata[5] & 3 == 0,
        // The descriptor of a class.
        let descriptor = Self.read(metadata[5], 1), descriptor[0] & 31 == 16
      else { return nil }
      let type = unsafeBitCast(header[0], to: Any.Type.self)
      let name = _typeName(type, qualified: true)
      let isOurs = Self.modules.contains(String(name.prefix { $0 != "." })) && type != DisposeBag.self
      return Object(kind: isOurs ? .ours(type) : .users(type), size: self.size(at: address, name, Int(size)))
    default: return nil
    }
  }

  private static let modules: Set<String> = [
    "Callbacks", "Delegates", "EventLoops", "FileWatching", "FoundationSupport", "Properties", "Stores", "Streams",
    "StreamsTesting", "Swift",
  ]

  // Functions of the C library, and of the sanitizers' allocator if there is one, that Swift does not import.
  private typealias ReadMemory =
    @convention(c) (
      pid_t, UnsafePointer<iovec>, UInt, UnsafePointer<iovec>, UInt, UInt
    ) -> Int
  private typealias IsAllocated = @convention(c) (UnsafeRawPointer) -> CInt
  private typealias SizeOf = @convention(c) (UnsafeMutableRawPointer) -> Int
  private static let readMemory = dlsym(nil, "process_vm_readv").map { unsafeBitCast($0, to: ReadMemory.self) }
  private static let isAllocated = dlsym(nil, "__sanitizer_get_ownership").map {
    unsafeBitCast($0, to: IsAllocated.self)
  }
  private static let sizeOf = dlsym(nil, "malloc_usable_size").map { unsafeBitCast($0, to: SizeOf.self) }

  static var isReadable: Bool {
    let word = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    defer { word.deallocate() }
    word.initialize(to: 0)
    return read(UInt(bitPattern: word), 1) != nil
  }

  /// Reads words of this process, or returns nil if the address is wrong.
  private static func read(_ address: UInt, _ count: Int) -> [UInt]? {
    guard let source = UnsafeMutableRawPointer(bitPattern: address) else { return nil }
    var words = [UInt](repeating: 0, count: count)
    let length = count * 8
    let got = words.withUnsafeMutableBytes { bytes in
      var (local, remote) = (
        iovec(iov_base: bytes.baseAddress, iov_len: length), iovec(iov_base: source, iov_len: length)
      )
      return readMemory?(getpid(), &local, 1, &remote, 1, 0) ?? -1
    }
    return got == length ? words : nil
  }

  /// The initialized bytes of an object whose class has the name `name` and instances of `instance` bytes.
  private func size(at address: UInt, _ name: String, _ instance: Int) -> Int {
    let allocation = sizeOfAllocation(address)
    guard name.hasPrefix("Swift._") else { return min(instance, allocation) }
    // The storage of a collection: the elements follow the instance. That of an array has a count and a doubled capacity.
    guard name.hasPrefix("Swift._ContiguousArrayStorage"), let fields = Self.read(address, 4), fields[3] > 1 else {
      return allocation
    }
    return min(allocation, instance + (allocation - instance) / Int(fields[3] / 2) * Int(fields[2]))
  }

  private func sizeOfAllocation(_ address: UInt) -> Int {
    guard let sizeOf = Self.sizeOf, let object = UnsafeMutableRawPointer(bitPattern: address) else { return 0 }
    // AddressSanitizer keeps the memory of objects that are gone, and ends a process that asks for their size.
    if let isAllocated = Self.isAllocated, isAllocated(object) == 0 { return 0 }
    return sizeOf(object)
  }

  private static func mappedFiles() -> [Range<UInt>] {
    guard let file = fopen("/proc/self/maps", "r") else { return [] }
    defer { fclose(file) }
    var ranges: [Range<UInt>] = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let line {
      let parts = String(cString: line).split { $0 == " " || $0 == "\n" }
      let bounds = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if parts.count > 5, parts[5].hasPrefix("/"), bounds.count == 2 { ranges.append(bounds[0]..<bounds[1]) }
    }
    return ranges
  }
}
#endif
