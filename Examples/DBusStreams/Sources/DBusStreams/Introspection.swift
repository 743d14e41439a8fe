/// The description of an object in the format of `org.freedesktop.DBus.Introspectable`.
func introspection(of interfaces: [DBusInterface], _ children: [String]) -> String {
  var lines = [
    #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
    #" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#, "<node>",
  ]
  for interface in interfaces {
    lines.append(#" <interface name="\#(interface.name)">"#)
    for method in interface.methods {
      let arguments = method.arguments.map { argument($0, #" direction="in""#) }
      let results = method.results.map { argument($0, #" direction="out""#) }
      lines.append(element("method", method.name, arguments + results))
    }
    for property in interface.properties {
      let access = property.set == nil ? "read" : "readwrite"
      lines.append(#"  <property name="\#(property.name)" type="\#(property.signature)" access="\#(access)"/>"#)
    }
    for signal in interface.signals {
      lines.append(element("signal", signal.name, signal.arguments.map { argument($0, "") }))
    }
    lines.append(" </interface>")
  }
  lines.append(standardInterfaces)
  lines += children.map { #" <node name="\#($0)"/>"# }
  return lines.joined(separator: "\n") + "\n</node>\n"
}

private func element(_ tag: String, _ name: String, _ arguments: [String]) -> String {
  arguments.isEmpty
    ? #"  <\#(tag) name="\#(name)"/>"#
    : (#"  <\#(tag) name="\#(name)">"# + "\n" + arguments.joined(separator: "\n") + "\n  </\(tag)>")
}

private func argument(_ parameter: DBusInterface.Parameter, _ direction: String) -> String {
  let name = parameter.name.map { #" name="\#(escaped($0))""# } ?? ""
  return #"   <arg type="\#(parameter.signature)"\#(name)\#(direction)/>"#
}

private func escaped(_ text: String) -> String {
  let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
  return text.map { entities[$0] ?? String($0) }.joined()
}

private let standardInterfaces = """
   <interface name="org.freedesktop.DBus.Introspectable">
    <method name="Introspect">
     <arg type="s" name="description" direction="out"/>
    </method>
   </interface>
   <interface name="org.freedesktop.DBus.Peer">
    <method name="Ping"/>
    <method name="GetMachineId">
     <arg type="s" name="machine" direction="out"/>
    </method>
   </interface>
   <interface name="org.freedesktop.DBus.Properties">
    <method name="Get">
     <arg type="s" name="interface" direction="in"/>
     <arg type="s" name="property" direction="in"/>
     <arg type="v" name="value" direction="out"/>
    </method>
    <method name="GetAll">
     <arg type="s" name="interface" direction="in"/>
     <arg type="a{sv}" name="values" direction="out"/>
    </method>
    <method name="Set">
     <arg type="s" name="interface" direction="in"/>
     <arg type="s" name="property" direction="in"/>
     <arg type="v" name="value" direction="in"/>
    </method>
    <signal name="PropertiesChanged">
     <arg type="s" name="interface"/>
     <arg type="a{sv}" name="changed"/>
     <arg type="as" name="invalidated"/>
    </signal>
   </interface>
  """
