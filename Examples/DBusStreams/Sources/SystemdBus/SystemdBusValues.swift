// Written by wrap-library from systemd/sd-bus.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CSystemdBus

@_exported public import struct CSystemdBus.sd_bus_error

/// The struct `sd_bus_error` of C.
public typealias BusError = sd_bus_error

/// The numbers that the headers define.
nonisolated public enum SystemdBusConstant {
  /// `SD_BUS_CREDS_PID`.
  public static var busCredsPid: Int { Int(CSystemdBus.SD_BUS_CREDS_PID) }

  /// `SD_BUS_CREDS_TID`.
  public static var busCredsTid: Int { Int(CSystemdBus.SD_BUS_CREDS_TID) }

  /// `SD_BUS_CREDS_PPID`.
  public static var busCredsPpid: Int { Int(CSystemdBus.SD_BUS_CREDS_PPID) }

  /// `SD_BUS_CREDS_UID`.
  public static var busCredsUid: Int { Int(CSystemdBus.SD_BUS_CREDS_UID) }

  /// `SD_BUS_CREDS_EUID`.
  public static var busCredsEuid: Int { Int(CSystemdBus.SD_BUS_CREDS_EUID) }

  /// `SD_BUS_CREDS_SUID`.
  public static var busCredsSuid: Int { Int(CSystemdBus.SD_BUS_CREDS_SUID) }

  /// `SD_BUS_CREDS_FSUID`.
  public static var busCredsFsuid: Int { Int(CSystemdBus.SD_BUS_CREDS_FSUID) }

  /// `SD_BUS_CREDS_GID`.
  public static var busCredsGid: Int { Int(CSystemdBus.SD_BUS_CREDS_GID) }

  /// `SD_BUS_CREDS_EGID`.
  public static var busCredsEgid: Int { Int(CSystemdBus.SD_BUS_CREDS_EGID) }

  /// `SD_BUS_CREDS_SGID`.
  public static var busCredsSgid: Int { Int(CSystemdBus.SD_BUS_CREDS_SGID) }

  /// `SD_BUS_CREDS_FSGID`.
  public static var busCredsFsgid: Int { Int(CSystemdBus.SD_BUS_CREDS_FSGID) }

  /// `SD_BUS_CREDS_SUPPLEMENTARY_GIDS`.
  public static var busCredsSupplementaryGids: Int { Int(CSystemdBus.SD_BUS_CREDS_SUPPLEMENTARY_GIDS) }

  /// `SD_BUS_CREDS_COMM`.
  public static var busCredsComm: Int { Int(CSystemdBus.SD_BUS_CREDS_COMM) }

  /// `SD_BUS_CREDS_TID_COMM`.
  public static var busCredsTidComm: Int { Int(CSystemdBus.SD_BUS_CREDS_TID_COMM) }

  /// `SD_BUS_CREDS_EXE`.
  public static var busCredsExe: Int { Int(CSystemdBus.SD_BUS_CREDS_EXE) }

  /// `SD_BUS_CREDS_CMDLINE`.
  public static var busCredsCmdline: Int { Int(CSystemdBus.SD_BUS_CREDS_CMDLINE) }

  /// `SD_BUS_CREDS_CGROUP`.
  public static var busCredsCgroup: Int { Int(CSystemdBus.SD_BUS_CREDS_CGROUP) }

  /// `SD_BUS_CREDS_UNIT`.
  public static var busCredsUnit: Int { Int(CSystemdBus.SD_BUS_CREDS_UNIT) }

  /// `SD_BUS_CREDS_SLICE`.
  public static var busCredsSlice: Int { Int(CSystemdBus.SD_BUS_CREDS_SLICE) }

  /// `SD_BUS_CREDS_USER_UNIT`.
  public static var busCredsUserUnit: Int { Int(CSystemdBus.SD_BUS_CREDS_USER_UNIT) }

  /// `SD_BUS_CREDS_USER_SLICE`.
  public static var busCredsUserSlice: Int { Int(CSystemdBus.SD_BUS_CREDS_USER_SLICE) }

  /// `SD_BUS_CREDS_SESSION`.
  public static var busCredsSession: Int { Int(CSystemdBus.SD_BUS_CREDS_SESSION) }

  /// `SD_BUS_CREDS_OWNER_UID`.
  public static var busCredsOwnerUid: Int { Int(CSystemdBus.SD_BUS_CREDS_OWNER_UID) }

  /// `SD_BUS_CREDS_EFFECTIVE_CAPS`.
  public static var busCredsEffectiveCaps: Int { Int(CSystemdBus.SD_BUS_CREDS_EFFECTIVE_CAPS) }

  /// `SD_BUS_CREDS_PERMITTED_CAPS`.
  public static var busCredsPermittedCaps: Int { Int(CSystemdBus.SD_BUS_CREDS_PERMITTED_CAPS) }

  /// `SD_BUS_CREDS_INHERITABLE_CAPS`.
  public static var busCredsInheritableCaps: Int { Int(CSystemdBus.SD_BUS_CREDS_INHERITABLE_CAPS) }

  /// `SD_BUS_CREDS_BOUNDING_CAPS`.
  public static var busCredsBoundingCaps: Int { Int(CSystemdBus.SD_BUS_CREDS_BOUNDING_CAPS) }

  /// `SD_BUS_CREDS_SELINUX_CONTEXT`.
  public static var busCredsSelinuxContext: Int { Int(CSystemdBus.SD_BUS_CREDS_SELINUX_CONTEXT) }

  /// `SD_BUS_CREDS_AUDIT_SESSION_ID`.
  public static var busCredsAuditSessionId: Int { Int(CSystemdBus.SD_BUS_CREDS_AUDIT_SESSION_ID) }

  /// `SD_BUS_CREDS_AUDIT_LOGIN_UID`.
  public static var busCredsAuditLoginUid: Int { Int(CSystemdBus.SD_BUS_CREDS_AUDIT_LOGIN_UID) }

  /// `SD_BUS_CREDS_TTY`.
  public static var busCredsTty: Int { Int(CSystemdBus.SD_BUS_CREDS_TTY) }

  /// `SD_BUS_CREDS_UNIQUE_NAME`.
  public static var busCredsUniqueName: Int { Int(CSystemdBus.SD_BUS_CREDS_UNIQUE_NAME) }

  /// `SD_BUS_CREDS_WELL_KNOWN_NAMES`.
  public static var busCredsWellKnownNames: Int { Int(CSystemdBus.SD_BUS_CREDS_WELL_KNOWN_NAMES) }

  /// `SD_BUS_CREDS_DESCRIPTION`.
  public static var busCredsDescription: Int { Int(CSystemdBus.SD_BUS_CREDS_DESCRIPTION) }

  /// `SD_BUS_CREDS_AUGMENT`.
  public static var busCredsAugment: Int { Int(CSystemdBus.SD_BUS_CREDS_AUGMENT) }

  /// `_SD_BUS_CREDS_ALL`.
  public static var busCredsAll: Int { Int(CSystemdBus._SD_BUS_CREDS_ALL) }

  /// `SD_BUS_NAME_REPLACE_EXISTING`.
  public static var busNameReplaceExisting: Int32 { Int32(CSystemdBus.SD_BUS_NAME_REPLACE_EXISTING) }

  /// `SD_BUS_NAME_ALLOW_REPLACEMENT`.
  public static var busNameAllowReplacement: Int32 { Int32(CSystemdBus.SD_BUS_NAME_ALLOW_REPLACEMENT) }

  /// `SD_BUS_NAME_QUEUE`.
  public static var busNameQueue: Int32 { Int32(CSystemdBus.SD_BUS_NAME_QUEUE) }

  /// `SD_BUS_MESSAGE_DUMP_WITH_HEADER`.
  public static var busMessageDumpWithHeader: Int32 { Int32(CSystemdBus.SD_BUS_MESSAGE_DUMP_WITH_HEADER) }

  /// `SD_BUS_MESSAGE_DUMP_SUBTREE_ONLY`.
  public static var busMessageDumpSubtreeOnly: Int32 { Int32(CSystemdBus.SD_BUS_MESSAGE_DUMP_SUBTREE_ONLY) }

  /// `_SD_BUS_MESSAGE_DUMP_KNOWN_FLAGS`.
  public static var busMessageDumpKnownFlags: Int32 { Int32(CSystemdBus._SD_BUS_MESSAGE_DUMP_KNOWN_FLAGS) }
}
