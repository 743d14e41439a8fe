import CStreams

/// Tells threads apart, for a nanosecond. A number is another thread's once this one has ended.
enum ThreadIdentity {
  static let none: UInt = 0

  @inline(__always)
  static var current: UInt { headwater_thread() }
}
