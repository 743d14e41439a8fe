#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Tells threads apart, for a nanosecond or two. A number is another thread's once this one has ended.
enum ThreadIdentity {
  static let none: UInt = 0

  @inline(__always)
  static var current: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    pthread_self()
    #endif
  }
}
