import DelegateMacros
import Streams

// A protocol that is isolated to a global actor whose name does not end in Actor, and arguments of type Void.

@globalActor actor Disk {
  static let shared = Disk()
}

@Disk final class DiskOwner {
  weak var delegate: (any DiskDelegate)?
  nonisolated init() {}
}

@Proxied(globalActor: Disk.self) @Disk protocol DiskDelegate: AnyObject {
  func disk(_ disk: DiskOwner, maySave text: String) -> Bool
  func diskDidTick(_: Void)
  func diskDidEnd(_ nothing: Void, after count: Int)
  nonisolated func note(_ text: String) -> Int
  var title: String { get set }
  var nothing: Void { get set }
  @Defaulted func isFree(_ block: Int) -> Bool
  func load(_ disk: DiskOwner, _ nothing: Void) async throws -> DiskOwner
}

extension DiskDelegate {
  func isFree(_ block: Int) -> Bool { block > title.count }
}

@Disk func useDiskDelegate() async throws -> [String] {
  var lines: [String] = []
  let bag = DisposeBag()
  let disk = DiskOwner()
  let proxy = DiskDelegateProxy.install(on: disk, at: \.delegate)
  proxy.dispose(in: bag)
  proxy.diskDidTick.stream.observeNext { lines.append("tick") }.dispose(in: bag)
  proxy.diskDidEnd.stream.observeNext { _, count in lines.append("end \(count)") }.dispose(in: bag)
  try proxy.maySave.answer { disk, text in disk.delegate != nil }
  proxy.titleSlot.getter.replaceAnswer { "abc" }
  try proxy.load.answer { disk, _ in disk }
  disk.delegate?.diskDidTick(())
  disk.delegate?.diskDidEnd((), after: 2)
  lines.append("\(disk.delegate?.disk(disk, maySave: "") == true) \(proxy.isFree(2)) \(proxy.isFree(4))")
  lines.append("\(try await disk.delegate?.load(disk, ()) === disk)")
  return lines
}
