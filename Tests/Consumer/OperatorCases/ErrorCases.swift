import Glibc
import Headwater

// Errors of libuv can be caught by name, or compared with the numbers of the system.

func errorCases(_ error: UVError) -> Bool {
  if error.errno == ENOENT { return true }
  if error.code == .accessDenied { return true }
  switch error.code {
  case .addressInUse, .connectionRefused: return true
  default: break
  }
  switch error {
  case .timedOut: return true
  default: return false
  }
}

@MainActor func errorCasesThrown() async throws {
  do {
    _ = try await Files.status(of: "/nowhere").value
  } catch UVError.noEntry {
    print("no such file")
  } catch let error as UVError where error.errno == EACCES {
    print("not allowed")
  }
}

func errorCasesOfStreams(_ status: Operation<Int, UVError>, _ bag: DisposeBag) {
  status.flatMapError { $0.code == .noEntry ? .just(0) : .failed($0) }.observeFailed { print($0) }.dispose(in: bag)
}
