import Delegates
import Streams

/// A class with a delegate, as libraries have them.
final class Downloader {
  weak var delegate: (any DownloaderDelegate)?
  weak var second: (any DownloaderDelegate)?

  func receive(_ bytes: Int) { delegate?.downloader(self, didReceive: bytes) }
  func fail(_ attempt: Int) -> Bool { delegate?.downloader(self, shouldRetry: attempt) ?? false }
}

protocol DownloaderDelegate: AnyObject {
  func downloader(_ downloader: Downloader, didReceive bytes: Int)
  func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool
}

final class DownloaderDelegateProxy: ProtocolProxy<any DownloaderDelegate>, DownloaderDelegate {
  let didReceive = ProxyMethod<Void, Downloader, Int>()
  func downloader(_ downloader: Downloader, didReceive bytes: Int) {
    call(didReceive, (downloader, bytes)) { $0.downloader(downloader, didReceive: bytes) }
  }

  let shouldRetry = ProxyMethod<Bool, Downloader, Int>()
  func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool {
    call(shouldRetry, (downloader, attempt)) { $0.downloader(downloader, shouldRetry: attempt) }
  }
}

/// A delegate that logs its calls.
final class Recording: DownloaderDelegate {
  var log: [String] = []
  var answer = true
  var onReceive: () -> Void = {}

  func downloader(_ downloader: Downloader, didReceive bytes: Int) {
    log.append("received \(bytes)")
    onReceive()
  }

  func downloader(_ downloader: Downloader, shouldRetry attempt: Int) -> Bool {
    log.append("retry \(attempt)")
    return answer
  }
}

extension DownloaderDelegateProxy {
  /// Makes a delegate from closures.
  convenience init(
    didReceive: ((Downloader, Int) -> Void)? = nil, shouldRetry: ((Downloader, Int) -> Bool)? = nil
  ) {
    self.init()
    if let didReceive { self.didReceive.replaceAnswer(didReceive) }
    if let shouldRetry { self.shouldRetry.replaceAnswer(shouldRetry) }
  }
}
