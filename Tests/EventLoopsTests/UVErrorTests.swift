import EventLoops
import Glibc
import StreamsTesting
import Testing

/// Errors of libuv are compared by name or with the system's numbers, and caught by name.
@Suite struct UVErrorTests {
  let missing = UVError(errno: ENOENT, call: "open", path: "/nowhere")

  @Test func `an error has the positive number of the system`() {
    #expect(missing.errno == ENOENT)
    #expect(missing.code == .noEntry)
    #expect(missing.code.rawValue == -ENOENT)
    #expect(UVError(code: -EACCES, call: "open").errno == EACCES)
    #expect(missing.name == "ENOENT")
    #expect("\(missing.code)" == "ENOENT")
    #expect("\(missing)" == "open /nowhere: no such file or directory (ENOENT)")
  }

  @Test func `an error that only libuv knows has no number of the system`() {
    #expect(UVError(code: .endOfFile, call: "read").errno == nil)
    #expect(UVError(code: .unknownHost, call: "getaddrinfo").errno == nil)
    #expect(UVError(code: .endOfFile, call: "read").name == "EOF")
  }

  @Test func `every named code is that of its symbol`() {
    let codes: [(UVError.Code, Int32)] = [
      (.accessDenied, EACCES), (.addressInUse, EADDRINUSE), (.addressNotAvailable, EADDRNOTAVAIL), (.busy, EBUSY),
      (.canceled, ECANCELED), (.connectionAborted, ECONNABORTED), (.connectionRefused, ECONNREFUSED),
      (.connectionReset, ECONNRESET), (.exists, EEXIST), (.hostUnreachable, EHOSTUNREACH), (.invalidArgument, EINVAL),
      (.messageTooLong, EMSGSIZE),
      (.isDirectory, EISDIR), (.networkUnreachable, ENETUNREACH), (.noEntry, ENOENT), (.noSpace, ENOSPC),
      (.notConnected, ENOTCONN), (.notDirectory, ENOTDIR), (.notEmpty, ENOTEMPTY), (.notPermitted, EPERM),
      (.notSupported, ENOTSUP), (.brokenPipe, EPIPE), (.timedOut, ETIMEDOUT), (.tooManyOpenFiles, EMFILE),
      (.noProcess, ESRCH),
    ]
    for (code, number) in codes {
      #expect(code.errno == number)
      #expect(UVError.Code(errno: number) == code)
    }
  }

  @Test func `every code that an error matches by name is that of the same name`() {
    let codes: [(UVError.Code, UVError.Code)] = [
      (UVError.accessDenied, .accessDenied), (UVError.addressInUse, .addressInUse),
      (UVError.addressNotAvailable, .addressNotAvailable), (UVError.busy, .busy), (UVError.canceled, .canceled),
      (UVError.connectionAborted, .connectionAborted), (UVError.connectionRefused, .connectionRefused),
      (UVError.connectionReset, .connectionReset), (UVError.exists, .exists),
      (UVError.hostUnreachable, .hostUnreachable),
      (UVError.invalidArgument, .invalidArgument), (UVError.isDirectory, .isDirectory),
      (UVError.messageTooLong, .messageTooLong), (UVError.networkUnreachable, .networkUnreachable),
      (UVError.noEntry, .noEntry), (UVError.noSpace, .noSpace), (UVError.notConnected, .notConnected),
      (UVError.notDirectory, .notDirectory), (UVError.notEmpty, .notEmpty), (UVError.notPermitted, .notPermitted),
      (UVError.notSupported, .notSupported), (UVError.brokenPipe, .brokenPipe), (UVError.timedOut, .timedOut),
      (UVError.tooManyOpenFiles, .tooManyOpenFiles), (UVError.noProcess, .noProcess), (UVError.endOfFile, .endOfFile),
      (UVError.unknownHost, .unknownHost),
    ]
    for (named, code) in codes { #expect(named == code) }
  }

  @Test func `an error is caught by its name`() throws {
    func fail() throws { throw missing }
    do {
      try fail()
    } catch UVError.exists {
      Issue.record("another error")
    } catch UVError.noEntry {
      // This is the expected error.
    }
    func failTyped() throws(UVError) { throw missing }
    do throws(UVError) {
      try failTyped()
    } catch .accessDenied {
      Issue.record("another error")
    } catch .noEntry {
      // This is the expected error.
    } catch {
      Issue.record("not matched")
    }
    switch missing.code {
    case .noEntry: break
    default: Issue.record("not matched")
    }
    switch missing {
    case .noEntry: break
    default: Issue.record("not matched")
    }
    do {
      throw TestError("other")
    } catch UVError.noEntry {
      Issue.record("not an error of libuv")
    } catch {}
  }

  @Test func `a positive number where libuv's is wanted traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = UVError(code: ENOENT, call: "open")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("UVError(errno:call:path:)"))
  }
}
