#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

private typealias Test = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: Test
) -> CInt

// Set once before the driver runs, which calls on the same thread.
nonisolated(unsafe) private var test: ([UInt8]) -> Void = { _ in }

/// Lets libFuzzer call `body` with bytes until the time in the arguments of the program is over. A trap in `body` is a finding.
public func fuzz(_ body: @escaping ([UInt8]) -> Void) -> Never {
  test = body
  var count = CommandLine.argc
  var arguments = CommandLine.unsafeArgv
  let status = runDriver(&count, &arguments) { start, count in
    test(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
  exit(status)
}
