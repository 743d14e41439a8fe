#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Memory that C has given away and that somebody must free: an argument of a callback that is mine. (V3.)
///
/// ```swift
/// { OnceCallback<TakenPointer<ares_addrinfo>, Void>.call($0, TakenPointer($1!) { ares_freeaddrinfo($0) }) }
/// ```
///
/// It is taken in the C closure, before the call: so it is freed also where the call is dropped. Confined.
public final class TakenPointer<Pointee> {
  /// The memory, valid for as long as this object lives.
  public let pointer: UnsafeMutablePointer<Pointee>
  private let free: (UnsafeMutablePointer<Pointee>) -> Void

  /// Takes over `pointer`. `free` runs once, when the last reference to this object goes.
  public init(_ pointer: UnsafeMutablePointer<Pointee>, freeing free: @escaping (UnsafeMutablePointer<Pointee>) -> Void)
  {
    self.pointer = pointer
    self.free = free
  }

  deinit { free(pointer) }

  /// What is in the memory.
  public var pointee: Pointee { pointer.pointee }
}

@available(*, unavailable)
extension TakenPointer: Sendable {}

extension String {
  /// The text of a C string that is mine, which is freed with `free`; nil for nil. Invalid UTF-8 is repaired.
  public init?(taking string: UnsafeMutablePointer<CChar>?) {
    guard let string else { return nil }
    self.init(cString: string)
    free(string)
  }

  /// A copy for a library that takes it over and frees it with `free`. (R4.)
  public func mallocedCopy() -> UnsafeMutablePointer<CChar> {
    guard let copy = strdup(self) else { fatalError("Out of memory.") }
    return copy
  }
}

extension Collection<String> {
  /// Copies for a library that takes over an array of strings, a null pointer at its end, and frees them all with `free`.
  /// (R4.)
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
  /// Fills a buffer that C wants filled with as many of `bytes` as have room, takes them out, and returns how many. (R5.)
  public func fill(from bytes: inout ArraySlice<UInt8>) -> Int {
    let part = bytes.prefix(count)
    copyBytes(from: part)
    bytes.removeFirst(part.count)
    return part.count
  }
}
