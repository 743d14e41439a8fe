import Streams
final class Box { var total = 0 }
@inline(never) func run() {
  let box = Box()
  let s8 = PushStream<Int>()
  for _ in 0..<20_000_000 { s8.map { $0 &+ 1}.observeNext { box.total &+= $0 }.dispose() }
  print(box.total)
}
run()
