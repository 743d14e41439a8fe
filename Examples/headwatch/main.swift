import Headwater

print("start")
let bag = DisposeBag()
Stream<Int> { o in
  let t = try! TimerHandle(); var n = 0
  t.start(after: .milliseconds(10), every: .milliseconds(10)) {
    n += 1; o.next(n)
  }
  return t
}.observeNext { n in
  print("tick", n, Queue.current!.label)
  if n == 3 {
    Task {
      print("task on main"); try? await Task.sleep(for: .milliseconds(5)); print("after await");
      Queue.main.async { print("queue main") }
    }
  }
  if n == 8 { Loop.main.stop() }
}.dispose(in: bag)
Operation.process(ProcessCommand("sh", ["-c", "echo hi; exit 3"])).observe { print("process", $0) }.dispose(in: bag)
Operation.process(ProcessCommand("nosuch")).observe { print("process", $0) }.dispose(in: bag)
let q = Queue(label: "worker")
let inlet = Inlet<Int>(capacity: 100, whenFull: .dropOldest)
inlet.stream.observe { print("inlet", $0) }.dispose(in: bag)
q.async {
  inlet.send(1); inlet.send(2)
}
actor A {
  let q: Queue; init(_ q: Queue) { self.q = q }
  nonisolated var unownedExecutor: UnownedSerialExecutor { q.asUnownedSerialExecutor() }
  func hello() -> String { Queue.current?.label ?? "none" }
}
let a = A(q)
Task { print("actor on", await a.hello()) }
print("sync", try q.sync { Queue.current!.label })
Loop.main.run()
bag.dispose()
q.shutdown()
print("async after shutdown", q.async {})
Loop.main.shutdown()
print("done")
