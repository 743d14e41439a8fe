import Glibc

extension FileStatus {
  /// Returns the stamp of a file in a polled directory. If links are followed, it is the stamp of the target of a
  /// symbolic link, if there is one.
  static func stamp(of name: NameBytes, in directory: Int32, _ options: FileWatchOptions) -> UInt64? {
    let status = options.followsLinks ? FileStatus(of: name, in: directory, followsLinks: true) : nil
    return (status ?? FileStatus(of: name, in: directory))?.stamp
  }

  /// A number that changes when the file changes. The upper half covers the contents (size, modification time, and
  /// inode), the lower half everything else.
  var stamp: UInt64 {
    func mixed(_ values: Int...) -> UInt64 {
      var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
      for value in values {
        let product = (hash ^ UInt64(truncatingIfNeeded: value)).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        hash = (product.high ^ product.low) &+ 0xA076_1D64_78BD_642F
      }
      return hash >> 32
    }
    let content = mixed(Int(truncatingIfNeeded: inode), size, modified.tv_sec, modified.tv_nsec)
    return content << 32 | mixed(changed.tv_sec, changed.tv_nsec)
  }
}
