import Streams
import SystemdBus

/// A name that is requested with the flags of `org.freedesktop.DBus.RequestName`.
struct NameRequest: Hashable {
  let name: String
  let flags: UInt32
}

/// How long the bus itself may take to answer.
let busLimit = Duration.seconds(25)

extension Client {
  /// The owner of a name. Each observer asks for itself, because the first element is the owner now.
  func owner(of name: String) -> Operation<String?, DBusError> {
    Operation { [self] observer in
      let parts = CompositeDisposable()
      let question = SerialDisposable()
      parts += question
      let rule = DBusRule(
        sender: DBusTarget.bus.destination, interface: DBusTarget.bus.interface, member: "NameOwnerChanged",
        firstArgument: name)
      parts += signals(rule).observe(
        next: { message in
          guard let (_, _, owner) = try? message.arguments(as: (String, String, String).self) else { return }
          question.inner = nil
          observer.next(owner.isEmpty ? nil : owner)
        }, termination: { observer.terminate($0) })
      // The rule has been sent before, so no change is missed.
      parts += links.observe(
        next: { [self] isLinked in
          question.inner = nil
          guard isLinked else { return observer.next(nil) }
          question.inner = call(.bus, "GetNameOwner", [.string(name)], within: busLimit).observe(
            next: { values in observer.next(values.first?.converted(to: String.self)) },
            termination: { end in
              guard case .failed(let error) = end else { return }
              switch error {
              case .remote("org.freedesktop.DBus.Error.NameHasNoOwner", _): observer.next(nil)
              // There will be another connection.
              case .disconnected, .closed: break
              default: observer.failed(error)
              }
            })
        }, termination: { _ in })
      return parts
    }.distinct()
  }

  /// Owns a name while it is observed.
  func owning(_ request: NameRequest) -> Operation<DBusNameState, DBusError> {
    Operation { [self] observer in
      let parts = CompositeDisposable()
      for (member, state) in [("NameAcquired", DBusNameState.owned), ("NameLost", .lost)] {
        let rule = DBusRule(
          sender: DBusTarget.bus.destination, interface: DBusTarget.bus.interface, member: member,
          firstArgument: request.name)
        parts += signals(rule).observe(next: { _ in observer.next(state) }, termination: { observer.terminate($0) })
      }
      let question = SerialDisposable()
      parts += question
      parts += links.observe(
        next: { [self] isLinked in
          question.inner = nil
          guard isLinked else { return observer.next(.lost) }
          question.inner = call(
            .bus, "RequestName", [.string(request.name), .uint32(request.flags)], within: busLimit
          ).observe(
            next: { values in
              switch values.first {
              case .uint32(2): observer.next(.waiting)
              case .uint32(3): observer.failed(.nameTaken(request.name))
              default: observer.next(.owned)
              }
            },
            termination: { end in
              switch end {
              case .failed(.disconnected), .failed(.closed), .completed: break
              case .failed(let error): observer.failed(error)
              }
            })
        }, termination: { _ in })
      parts += BlockDisposable { [self] in
        _ = try? send { bus throws(SystemdBusFailure) in
          let message = try bus.messageNewMethodCall(
            DBusTarget.bus.destination, path: DBusTarget.bus.path.rawValue, interface: DBusTarget.bus.interface,
            member: "ReleaseName")
          try message.append([.string(request.name)])
          return message
        }
      }
      return parts
    }.distinct()
  }
}
