import EventLoops
import Streams
import StreamsTesting
import Testing

@testable import TLSStreams

/// What an attacker, or a bad line, does to the bytes on their way.
private enum Damage: CaseIterable {
  /// Cuts the bytes into small parts.
  case none
  case flip
  case cut
  case drop
  case insert
}

/// A connection through somebody who damages it.
private final class Line {
  private var random: SeededRandom
  private let damage: Damage
  /// The number of bytes before the damage.
  private var intact: Int
  private(set) var isDamaged = false

  init(_ damage: Damage, _ seed: UInt64) {
    var random = SeededRandom(seed)
    self.damage = damage
    intact = Int.random(in: 0..<6000, using: &random)
    self.random = random
  }

  func carry(_ near: TCPHandle, _ far: TCPHandle, in bag: DisposeBag) {
    for (source, target) in [(near, far), (far, near)] {
      source.bytes.observe { [self] event in
        switch event {
        case .next(let bytes): for part in parts(bytes) { pass(part, target, near, far) }
        case .completed: target.finish()
        case .failed: target.dispose()
        }
      }.dispose(in: bag)
    }
  }

  private func parts(_ bytes: Bytes) -> [Bytes] {
    var (rest, parts) = (bytes, [Bytes]())
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...3000, using: &random))
      parts.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return parts
  }

  private func pass(_ bytes: Bytes, _ target: TCPHandle, _ near: TCPHandle, _ far: TCPHandle) {
    if damage == .cut, isDamaged { return }
    intact -= bytes.count
    guard intact < 0, !isDamaged, damage != .none else { return target.write(bytes) }
    isDamaged = true
    var changed = Array(bytes)
    let place = Int.random(in: changed.indices, using: &random)
    switch damage {
    case .none: break
    case .flip: changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case .drop: changed.remove(at: place)
    case .insert: changed.insert(.random(in: 0...255, using: &random), at: place)
    case .cut:
      target.write(Bytes(changed[..<place]))
      near.close()
      return far.close()
    }
    target.write(Bytes(changed))
  }
}

/// A generator that a seed decides (SplitMix64).
private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension TLSTests {
  @Test
  static func `damage on the way fails with an error of its own, and is never delivered`() async throws {
    try await withLoop { loop, _ in
      let certificates = Certificates.shared
      for seed in UInt64(0)..<150 {
        let damage = Damage.allCases[Int(seed) % Damage.allCases.count]
        let bag = DisposeBag()
        var random = SeededRandom(seed)
        let version: TLSVersion = Bool.random(using: &random) ? .tls12 : .tls13
        // Echoes what it receives, so both directions carry the same bytes.
        let server = Server(
          try TLSServer(
            certificates.identity("localhost"), versions: version...version, handshakeLimit: .milliseconds(300)),
          in: bag)
        let line = Line(damage, seed)
        var middle = SocketAddress.loopback(port: 0)
        Operation.listen(on: .loopback(port: 0), bound: { middle = $0 })
          .observeNext { near in
            Operation.connect(to: server.address).observeNext { far in line.carry(near, far, in: bag) }
              .dispose(in: bag)
          }
          .dispose(in: bag)
        let tls = try TLSClient(
          trust: .authorityFile(certificates.authority), versions: version...version, handshakeLimit: .milliseconds(300)
        )
        let sent = Bytes((0..<Int.random(in: 0..<9000, using: &random)).map { UInt8(truncatingIfNeeded: $0 / 7) })
        var connection: TLSConnection?
        var received: Recorder<Bytes, TLSError>?
        Operation.connect(to: middle).observeNext { tcp in
          let made = tls.secure(tcp, host: "localhost")
          connection = made
          received = made.bytes.record()
          made.write(sent)
          made.finish()
        }.dispose(in: bag)
        // A lost byte in the length of a record makes its reader wait for more. The peer's end then ends it.
        let patience = loop.backgroundScheduler.schedule(after: .milliseconds(600)) { connection?.close(within: .zero) }
        try loop.run(until: "the end of seed \(seed), \(damage)") { received?.termination != nil }
        patience.dispose()
        let arrived = Bytes(joining: received?.elements ?? [])
        #expect(sent.prefix(arrived.count) == arrived, "seed \(seed), \(damage)")
        if damage == .none || !line.isDamaged {
          #expect(
            received?.isCompleted == true && arrived == sent, "seed \(seed): \(String(describing: received?.failure))")
        } else if received?.isCompleted == true, arrived != sent {
          // The client completes early only if it has closed the connection itself.
          #expect(connection?.isDisposed == true && line.isDamaged, "seed \(seed), \(damage)")
        }
        bag.dispose()
      }
    }
  }
}
