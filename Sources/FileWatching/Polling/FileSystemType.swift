import Glibc

/// The C function, which is missing in its Swift module.
@_silgen_name("fstatfs")
private func fstatfs(_ descriptor: Int32, _ status: UnsafeMutableRawPointer) -> Int32

/// The file systems, by the system's number for each.
enum FileSystemType {
  /// Returns the name of a file system that does not report the changes of other systems, or any changes.
  static func nameIfSilent(_ type: UInt32) -> String? {
    switch type {
    case 0x6969: "NFS"
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: "SMB"
    case 0x0102_1997: "9p"
    case 0x6573_5546: "FUSE"
    case 0x5346_414F, 0x6B41_4653: "AFS"
    case 0x00C3_6400: "Ceph"
    case 0x0BD0_0BD0: "Lustre"
    case 0x786F_4256: "vboxsf"
    case 0xBACB_ACBC: "vmhgfs"
    case 0x9FA0: "proc"
    case 0x6265_6572: "sysfs"
    default: nil
    }
  }

  /// Returns the number of the file system of an open file.
  static func of(_ descriptor: Int32) -> UInt32 {
    // `struct statfs` has 120 bytes on 64-bit systems, and begins with the number.
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { status in
      fstatfs(descriptor, status.baseAddress!) == 0 ? UInt32(truncatingIfNeeded: status.load(as: Int.self)) : 0
    }
  }
}
