import Streams

func time(_ label: String, _ n: Int, _ body: (Int) -> Void) {
  var best = Double.infinity
  for _ in 0..<5 {
    let c = ContinuousClock(); let t = c.measure { body(n) };
    best = min(
      best, Double(t.components.attoseconds) / 1e9 / Double(n) + Double(t.components.seconds) * 1e9 / Double(n))
  }
  print(label, Double(Int(best * 10)) / 10, "ns")
}
final class Box { var total = 0 }
@inline(never) func run() {
  let box = Box()
  let closure: (Int) -> Void = { box.total &+= $0 }
  var fs = [closure]; if CommandLine.argc > 5 { fs.append { _ in } }
  time("closure", 10_000_000) { n in
    let f = fs[0]; for i in 0..<n { f(i) }
  }
  let s = PushStream<Int>(); _ = s.observeNext { box.total &+= $0 }
  time("subject", 10_000_000) { n in for i in 0..<n { s.next(i) } }
  let s2 = PushStream<Int>();
  _ = s2.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 }.observeNext { box.total &+= $0 }
  time("mfm", 10_000_000) { n in for i in 0..<n { s2.next(i) } }
  let s3 = PushStream<Int>(); var o = s3.toStream(); for _ in 0..<10 { o = o.map { $0 &+ 1 } };
  _ = o.observeNext { box.total &+= $0 }
  time("10map", 10_000_000) { n in for i in 0..<n { s3.next(i) } }
  let s5 = PushStream<Int>(); for _ in 0..<100 { _ = s5.observeNext { box.total &+= $0 } }
  time("fan100 per", 10_000_000) { n in for i in 0..<(n / 100) { s5.next(i) } }
  time("sequence", 10_000_000) { n in _ = Stream.sequence(0..<n).observeNext { box.total &+= $0 } }
  let s8 = PushStream<Int>()
  time("observe+dispose", 1_000_000) { n in
    for _ in 0..<n { s8.map { $0 &+ 1 }.observeNext { box.total &+= $0 }.dispose() }
  }
  let s7 = PushStream<Int>(); _ = s7.flatMap(.merge) { Stream.just($0) }.observeNext { box.total &+= $0 }
  time("flatmap just", 1_000_000) { n in for i in 0..<n { s7.next(i) } }
  print(box.total)
}
run()
var emit: ((Int) -> Void)?
let custom = Stream<Int> { o in
  emit = { o.next($0) }; return NonDisposable()
}
var totalC = 0
_ = custom.observeNext { totalC &+= $0 }
let ee = emit!
time("custom producer", 10_000_000) { n in for i in 0..<n { ee(i) } }
