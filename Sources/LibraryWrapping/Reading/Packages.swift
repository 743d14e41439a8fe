/// The flags of libraries that pkg-config knows.
enum Packages {
  /// Debian's packages of libraries that are often wrapped, by the name of their `.pc` file.
  static let apt = [
    "expat": "libexpat1-dev", "sqlite3": "libsqlite3-dev", "libcurl": "libcurl4-openssl-dev", "libpq": "libpq-dev",
    "readline": "libreadline-dev", "libmosquitto": "libmosquitto-dev", "libarchive": "libarchive-dev",
    "libevent": "libevent-dev", "libusb-1.0": "libusb-1.0-0-dev", "glib-2.0": "libglib2.0-dev",
    "gobject-2.0": "libglib2.0-dev", "gio-2.0": "libglib2.0-dev", "libcares": "libc-ares-dev", "libuv": "libuv1-dev",
    "libnghttp2": "libnghttp2-dev", "libmicrohttpd": "libmicrohttpd-dev", "libpcap": "libpcap-dev",
    "libxml-2.0": "libxml2-dev", "zlib": "zlib1g-dev", "hiredis": "libhiredis-dev", "fuse3": "libfuse3-dev",
    "libssh2": "libssh2-1-dev", "libgit2": "libgit2-dev", "libwebsockets": "libwebsockets-dev",
    "yaml-0.1": "libyaml-dev",
    "openssl": "libssl-dev", "libssl": "libssl-dev", "alsa": "libasound2-dev", "libpulse": "libpulse-dev",
    "libudev": "libudev-dev", "dbus-1": "libdbus-1-dev", "sdl2": "libsdl2-dev", "libsystemd": "libsystemd-dev",
    "libnl-3.0": "libnl-3-dev", "ncurses": "libncurses-dev", "libzip": "libzip-dev", "rdkafka": "librdkafka-dev",
    "libvirt": "libvirt-dev", "libssh": "libssh-dev", "libnats": "libnats-dev", "liblo": "liblo-dev",
    "avahi-client": "libavahi-client-dev", "wayland-client": "libwayland-dev",
  ]

  static func flags(_ packages: [String]) throws -> [String] { try ask("--cflags", packages) }

  /// The flags that link the libraries.
  static func linking(_ packages: [String]) throws -> [String] { try ask("--libs", packages) }

  /// The names of the libraries to link.
  static func libraries(_ packages: [String]) throws -> [String] {
    try ask("--libs-only-l", packages).filter { $0.hasPrefix("-l") }.map { String($0.dropFirst(2)) }
  }

  /// False for a package without a search directory and with flags that SwiftPM refuses with a warning, such as `-pthread`. The
  /// module map names the libraries to link.
  static func isNeeded(_ package: String) -> Bool {
    guard let flags = try? ask("--cflags", [package]), let linked = try? ask("--libs", [package]) else { return true }
    let isAccepted = (flags + linked).allSatisfy { flag in ["-I", "-L", "-l"].contains { flag.hasPrefix($0) } }
    return isAccepted || flags.contains { $0.hasPrefix("-I") }
  }

  private static func ask(_ question: String, _ packages: [String]) throws -> [String] {
    var flags: [String] = []
    for package in packages {
      guard let process = FinishedProcess.run(["pkg-config", question, package]) else {
        throw WrappingError("There is no pkg-config. Install it: sudo apt-get install pkg-config")
      }
      if process.status != 0 {
        let fix =
          apt[package].map { "Install it: sudo apt-get install \($0)" }
          ?? "Install the development package that contains that file: apt-file search \(package).pc names it."
        throw WrappingError("pkg-config finds no \(package).pc. \(fix)")
      }
      flags += process.text.split { $0.isWhitespace }.map(String.init)
    }
    return flags
  }
}
