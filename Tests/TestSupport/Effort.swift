#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The amount of work of the fuzz tests and the races. The suite does little. `Scripts/soak` sets environment variables for
/// more.
package enum Effort {
  /// The number of seeded cases of each fuzz test: `HEADWATER_FUZZ_CASES`, or 5,000. 500 under a sanitizer, which is slow.
  package static let cases = number("HEADWATER_FUZZ_CASES") ?? (isSanitized ? 500 : 5_000)

  /// The number of rounds of each race: `HEADWATER_RACE_ROUNDS`, or 50.
  package static let rounds = number("HEADWATER_RACE_ROUNDS") ?? 50

  /// The duration of timed tests in seconds: `HEADWATER_SOAK_SECONDS`, or 2.
  package static let seconds = number("HEADWATER_SOAK_SECONDS") ?? 2

  /// The seed of the first case: `HEADWATER_FUZZ_SEED`, or 0. Repeats one case together with `HEADWATER_FUZZ_CASES=1`.
  package static let seed = number("HEADWATER_FUZZ_SEED") ?? 0

  /// The seeds of the cases of one fuzz test.
  package static var seeds: Range<Int> { seed..<seed + cases }

  /// Whether the tests run under a sanitizer, which makes everything about ten times as slow.
  package static let isSanitized = getenv("HEADWATER_SANITIZER") != nil

  private static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
}
