#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Memory that C passed to a callback together with its ownership, freed on deallocation. (V3.)
///
/// ```swift
/// { OnceCallback<TakenPointer<ares_addrinfo>, Void>.call($0, TakenPointer($1!) { ares_freeaddrinfo($0) }) }
/// ```
///
/// Create it in the C function, before you call the adapter, so that the memory is also freed if the call is dropped.
/// Confined to the domain that creates it.
public final class TakenPointer<Pointee> {
  /// The memory, valid while this object lives.
  public let pointer: UnsafeMutablePointer<Pointee>
  private let free: (UnsafeMutablePointer<Pointee>) -> Void

  /// Takes ownership of `pointer`. `free` runs once, when this object is deallocated.
  public init(_ pointer: UnsafeMutablePointer<Pointee>, freeing free: @escaping (UnsafeMutablePointer<Pointee>) -> Void)
  {
    self.pointer = pointer
    self.free = free
  }

  deinit { free(pointer) }

  /// The value in the memory.
  public var pointee: Pointee { pointer.pointee }
}

@available(*, unavailable)
extension TakenPointer: Sendable {}

extension String {
  /// Creates a string from a C string, and frees the C string with `free`. Returns nil for nil. Repairs invalid UTF-8.
  public init?(taking string: UnsafeMutablePointer<CChar>?) {
    guard let string else { return nil }
    self.init(cString: string)
    free(string)
  }

  /// Returns a copy for a library that takes ownership and frees it with `free`. (R4.)
  public func mallocedCopy() -> UnsafeMutablePointer<CChar> {
    guard let copy = strdup(self) else { fatalError("Out of memory.") }
    return copy
  }
}

extension Collection<String> {
  /// Returns a null-terminated array of copies for a library that takes ownership and frees them all with `free`. (R4.)
  public func mallocedCopies() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    let size = (count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
    guard let memory = malloc(size) else { fatalError("Out of memory.") }
    let strings = memory.bindMemory(to: UnsafeMutablePointer<CChar>?.self, capacity: count + 1)
    for (index, string) in self.enumerated() { (strings + index).initialize(to: string.mallocedCopy()) }
    (strings + count).initialize(to: nil)
    return strings
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Moves the bytes that fit from `bytes` into this buffer, and returns their number. (R5.)
  public func fill(from bytes: inout ArraySlice<UInt8>) -> Int {
    let part = bytes.prefix(count)
    copyBytes(from: part)
    bytes.removeFirst(part.count)
    return part.count
  }
}
