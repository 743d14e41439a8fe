// Written by wrap-library from sqlite3.h, Sources/CSQLite/values.h.
// Change the choices beside this file and run it again; what is edited here is lost.

import CSQLite

/// The numbers that the headers define.
nonisolated public enum SQLiteConstant {
  /// `SQLITE_VERSION_NUMBER`.
  public static let sqliteVersionNumber: Int32 = 3_040_001

  /// `SQLITE_OK`.
  public static let sqliteOk: Int32 = 0

  /// `SQLITE_ERROR`.
  public static let sqliteError: Int32 = 1

  /// `SQLITE_INTERNAL`.
  public static let sqliteInternal: Int32 = 2

  /// `SQLITE_PERM`.
  public static let sqlitePerm: Int32 = 3

  /// `SQLITE_ABORT`.
  public static let sqliteAbort: Int32 = 4

  /// `SQLITE_BUSY`.
  public static let sqliteBusy: Int32 = 5

  /// `SQLITE_LOCKED`.
  public static let sqliteLocked: Int32 = 6

  /// `SQLITE_NOMEM`.
  public static let sqliteNomem: Int32 = 7

  /// `SQLITE_READONLY`.
  public static let sqliteReadonly: Int32 = 8

  /// `SQLITE_INTERRUPT`.
  public static let sqliteInterrupt: Int32 = 9

  /// `SQLITE_IOERR`.
  public static let sqliteIoerr: Int32 = 10

  /// `SQLITE_CORRUPT`.
  public static let sqliteCorrupt: Int32 = 11

  /// `SQLITE_NOTFOUND`.
  public static let sqliteNotfound: Int32 = 12

  /// `SQLITE_FULL`.
  public static let sqliteFull: Int32 = 13

  /// `SQLITE_CANTOPEN`.
  public static let sqliteCantopen: Int32 = 14

  /// `SQLITE_PROTOCOL`.
  public static let sqliteProtocol: Int32 = 15

  /// `SQLITE_EMPTY`.
  public static let sqliteEmpty: Int32 = 16

  /// `SQLITE_SCHEMA`.
  public static let sqliteSchema: Int32 = 17

  /// `SQLITE_TOOBIG`.
  public static let sqliteToobig: Int32 = 18

  /// `SQLITE_CONSTRAINT`.
  public static let sqliteConstraint: Int32 = 19

  /// `SQLITE_MISMATCH`.
  public static let sqliteMismatch: Int32 = 20

  /// `SQLITE_MISUSE`.
  public static let sqliteMisuse: Int32 = 21

  /// `SQLITE_NOLFS`.
  public static let sqliteNolfs: Int32 = 22

  /// `SQLITE_AUTH`.
  public static let sqliteAuth: Int32 = 23

  /// `SQLITE_FORMAT`.
  public static let sqliteFormat: Int32 = 24

  /// `SQLITE_RANGE`.
  public static let sqliteRange: Int32 = 25

  /// `SQLITE_NOTADB`.
  public static let sqliteNotadb: Int32 = 26

  /// `SQLITE_NOTICE`.
  public static let sqliteNotice: Int32 = 27

  /// `SQLITE_WARNING`.
  public static let sqliteWarning: Int32 = 28

  /// `SQLITE_ROW`.
  public static let sqliteRow: Int32 = 100

  /// `SQLITE_DONE`.
  public static let sqliteDone: Int32 = 101

  /// `SQLITE_ERROR_MISSING_COLLSEQ`.
  public static let sqliteErrorMissingCollseq: Int32 = 257

  /// `SQLITE_ERROR_RETRY`.
  public static let sqliteErrorRetry: Int32 = 513

  /// `SQLITE_ERROR_SNAPSHOT`.
  public static let sqliteErrorSnapshot: Int32 = 769

  /// `SQLITE_IOERR_READ`.
  public static let sqliteIoerrRead: Int32 = 266

  /// `SQLITE_IOERR_SHORT_READ`.
  public static let sqliteIoerrShortRead: Int32 = 522

  /// `SQLITE_IOERR_WRITE`.
  public static let sqliteIoerrWrite: Int32 = 778

  /// `SQLITE_IOERR_FSYNC`.
  public static let sqliteIoerrFsync: Int32 = 1034

  /// `SQLITE_IOERR_DIR_FSYNC`.
  public static let sqliteIoerrDirFsync: Int32 = 1290

  /// `SQLITE_IOERR_TRUNCATE`.
  public static let sqliteIoerrTruncate: Int32 = 1546

  /// `SQLITE_IOERR_FSTAT`.
  public static let sqliteIoerrFstat: Int32 = 1802

  /// `SQLITE_IOERR_UNLOCK`.
  public static let sqliteIoerrUnlock: Int32 = 2058

  /// `SQLITE_IOERR_RDLOCK`.
  public static let sqliteIoerrRdlock: Int32 = 2314

  /// `SQLITE_IOERR_DELETE`.
  public static let sqliteIoerrDelete: Int32 = 2570

  /// `SQLITE_IOERR_BLOCKED`.
  public static let sqliteIoerrBlocked: Int32 = 2826

  /// `SQLITE_IOERR_NOMEM`.
  public static let sqliteIoerrNomem: Int32 = 3082

  /// `SQLITE_IOERR_ACCESS`.
  public static let sqliteIoerrAccess: Int32 = 3338

  /// `SQLITE_IOERR_CHECKRESERVEDLOCK`.
  public static let sqliteIoerrCheckreservedlock: Int32 = 3594

  /// `SQLITE_IOERR_LOCK`.
  public static let sqliteIoerrLock: Int32 = 3850

  /// `SQLITE_IOERR_CLOSE`.
  public static let sqliteIoerrClose: Int32 = 4106

  /// `SQLITE_IOERR_DIR_CLOSE`.
  public static let sqliteIoerrDirClose: Int32 = 4362

  /// `SQLITE_IOERR_SHMOPEN`.
  public static let sqliteIoerrShmopen: Int32 = 4618

  /// `SQLITE_IOERR_SHMSIZE`.
  public static let sqliteIoerrShmsize: Int32 = 4874

  /// `SQLITE_IOERR_SHMLOCK`.
  public static let sqliteIoerrShmlock: Int32 = 5130

  /// `SQLITE_IOERR_SHMMAP`.
  public static let sqliteIoerrShmmap: Int32 = 5386

  /// `SQLITE_IOERR_SEEK`.
  public static let sqliteIoerrSeek: Int32 = 5642

  /// `SQLITE_IOERR_DELETE_NOENT`.
  public static let sqliteIoerrDeleteNoent: Int32 = 5898

  /// `SQLITE_IOERR_MMAP`.
  public static let sqliteIoerrMmap: Int32 = 6154

  /// `SQLITE_IOERR_GETTEMPPATH`.
  public static let sqliteIoerrGettemppath: Int32 = 6410

  /// `SQLITE_IOERR_CONVPATH`.
  public static let sqliteIoerrConvpath: Int32 = 6666

  /// `SQLITE_IOERR_VNODE`.
  public static let sqliteIoerrVnode: Int32 = 6922

  /// `SQLITE_IOERR_AUTH`.
  public static let sqliteIoerrAuth: Int32 = 7178

  /// `SQLITE_IOERR_BEGIN_ATOMIC`.
  public static let sqliteIoerrBeginAtomic: Int32 = 7434

  /// `SQLITE_IOERR_COMMIT_ATOMIC`.
  public static let sqliteIoerrCommitAtomic: Int32 = 7690

  /// `SQLITE_IOERR_ROLLBACK_ATOMIC`.
  public static let sqliteIoerrRollbackAtomic: Int32 = 7946

  /// `SQLITE_IOERR_DATA`.
  public static let sqliteIoerrData: Int32 = 8202

  /// `SQLITE_IOERR_CORRUPTFS`.
  public static let sqliteIoerrCorruptfs: Int32 = 8458

  /// `SQLITE_LOCKED_SHAREDCACHE`.
  public static let sqliteLockedSharedcache: Int32 = 262

  /// `SQLITE_LOCKED_VTAB`.
  public static let sqliteLockedVtab: Int32 = 518

  /// `SQLITE_BUSY_RECOVERY`.
  public static let sqliteBusyRecovery: Int32 = 261

  /// `SQLITE_BUSY_SNAPSHOT`.
  public static let sqliteBusySnapshot: Int32 = 517

  /// `SQLITE_BUSY_TIMEOUT`.
  public static let sqliteBusyTimeout: Int32 = 773

  /// `SQLITE_CANTOPEN_NOTEMPDIR`.
  public static let sqliteCantopenNotempdir: Int32 = 270

  /// `SQLITE_CANTOPEN_ISDIR`.
  public static let sqliteCantopenIsdir: Int32 = 526

  /// `SQLITE_CANTOPEN_FULLPATH`.
  public static let sqliteCantopenFullpath: Int32 = 782

  /// `SQLITE_CANTOPEN_CONVPATH`.
  public static let sqliteCantopenConvpath: Int32 = 1038

  /// `SQLITE_CANTOPEN_DIRTYWAL`.
  public static let sqliteCantopenDirtywal: Int32 = 1294

  /// `SQLITE_CANTOPEN_SYMLINK`.
  public static let sqliteCantopenSymlink: Int32 = 1550

  /// `SQLITE_CORRUPT_VTAB`.
  public static let sqliteCorruptVtab: Int32 = 267

  /// `SQLITE_CORRUPT_SEQUENCE`.
  public static let sqliteCorruptSequence: Int32 = 523

  /// `SQLITE_CORRUPT_INDEX`.
  public static let sqliteCorruptIndex: Int32 = 779

  /// `SQLITE_READONLY_RECOVERY`.
  public static let sqliteReadonlyRecovery: Int32 = 264

  /// `SQLITE_READONLY_CANTLOCK`.
  public static let sqliteReadonlyCantlock: Int32 = 520

  /// `SQLITE_READONLY_ROLLBACK`.
  public static let sqliteReadonlyRollback: Int32 = 776

  /// `SQLITE_READONLY_DBMOVED`.
  public static let sqliteReadonlyDbmoved: Int32 = 1032

  /// `SQLITE_READONLY_CANTINIT`.
  public static let sqliteReadonlyCantinit: Int32 = 1288

  /// `SQLITE_READONLY_DIRECTORY`.
  public static let sqliteReadonlyDirectory: Int32 = 1544

  /// `SQLITE_ABORT_ROLLBACK`.
  public static let sqliteAbortRollback: Int32 = 516

  /// `SQLITE_CONSTRAINT_CHECK`.
  public static let sqliteConstraintCheck: Int32 = 275

  /// `SQLITE_CONSTRAINT_COMMITHOOK`.
  public static let sqliteConstraintCommithook: Int32 = 531

  /// `SQLITE_CONSTRAINT_FOREIGNKEY`.
  public static let sqliteConstraintForeignkey: Int32 = 787

  /// `SQLITE_CONSTRAINT_FUNCTION`.
  public static let sqliteConstraintFunction: Int32 = 1043

  /// `SQLITE_CONSTRAINT_NOTNULL`.
  public static let sqliteConstraintNotnull: Int32 = 1299

  /// `SQLITE_CONSTRAINT_PRIMARYKEY`.
  public static let sqliteConstraintPrimarykey: Int32 = 1555

  /// `SQLITE_CONSTRAINT_TRIGGER`.
  public static let sqliteConstraintTrigger: Int32 = 1811

  /// `SQLITE_CONSTRAINT_UNIQUE`.
  public static let sqliteConstraintUnique: Int32 = 2067

  /// `SQLITE_CONSTRAINT_VTAB`.
  public static let sqliteConstraintVtab: Int32 = 2323

  /// `SQLITE_CONSTRAINT_ROWID`.
  public static let sqliteConstraintRowid: Int32 = 2579

  /// `SQLITE_CONSTRAINT_PINNED`.
  public static let sqliteConstraintPinned: Int32 = 2835

  /// `SQLITE_CONSTRAINT_DATATYPE`.
  public static let sqliteConstraintDatatype: Int32 = 3091

  /// `SQLITE_NOTICE_RECOVER_WAL`.
  public static let sqliteNoticeRecoverWal: Int32 = 283

  /// `SQLITE_NOTICE_RECOVER_ROLLBACK`.
  public static let sqliteNoticeRecoverRollback: Int32 = 539

  /// `SQLITE_WARNING_AUTOINDEX`.
  public static let sqliteWarningAutoindex: Int32 = 284

  /// `SQLITE_AUTH_USER`.
  public static let sqliteAuthUser: Int32 = 279

  /// `SQLITE_OK_LOAD_PERMANENTLY`.
  public static let sqliteOkLoadPermanently: Int32 = 256

  /// `SQLITE_OK_SYMLINK`.
  public static let sqliteOkSymlink: Int32 = 512

  /// `SQLITE_OPEN_READONLY`.
  public static let sqliteOpenReadonly: Int32 = 1

  /// `SQLITE_OPEN_READWRITE`.
  public static let sqliteOpenReadwrite: Int32 = 2

  /// `SQLITE_OPEN_CREATE`.
  public static let sqliteOpenCreate: Int32 = 4

  /// `SQLITE_OPEN_DELETEONCLOSE`.
  public static let sqliteOpenDeleteonclose: Int32 = 8

  /// `SQLITE_OPEN_EXCLUSIVE`.
  public static let sqliteOpenExclusive: Int32 = 16

  /// `SQLITE_OPEN_AUTOPROXY`.
  public static let sqliteOpenAutoproxy: Int32 = 32

  /// `SQLITE_OPEN_URI`.
  public static let sqliteOpenUri: Int32 = 64

  /// `SQLITE_OPEN_MEMORY`.
  public static let sqliteOpenMemory: Int32 = 128

  /// `SQLITE_OPEN_MAIN_DB`.
  public static let sqliteOpenMainDb: Int32 = 256

  /// `SQLITE_OPEN_TEMP_DB`.
  public static let sqliteOpenTempDb: Int32 = 512

  /// `SQLITE_OPEN_TRANSIENT_DB`.
  public static let sqliteOpenTransientDb: Int32 = 1024

  /// `SQLITE_OPEN_MAIN_JOURNAL`.
  public static let sqliteOpenMainJournal: Int32 = 2048

  /// `SQLITE_OPEN_TEMP_JOURNAL`.
  public static let sqliteOpenTempJournal: Int32 = 4096

  /// `SQLITE_OPEN_SUBJOURNAL`.
  public static let sqliteOpenSubjournal: Int32 = 8192

  /// `SQLITE_OPEN_SUPER_JOURNAL`.
  public static let sqliteOpenSuperJournal: Int32 = 16384

  /// `SQLITE_OPEN_NOMUTEX`.
  public static let sqliteOpenNomutex: Int32 = 32768

  /// `SQLITE_OPEN_FULLMUTEX`.
  public static let sqliteOpenFullmutex: Int32 = 65536

  /// `SQLITE_OPEN_SHAREDCACHE`.
  public static let sqliteOpenSharedcache: Int32 = 131072

  /// `SQLITE_OPEN_PRIVATECACHE`.
  public static let sqliteOpenPrivatecache: Int32 = 262144

  /// `SQLITE_OPEN_WAL`.
  public static let sqliteOpenWal: Int32 = 524288

  /// `SQLITE_OPEN_NOFOLLOW`.
  public static let sqliteOpenNofollow: Int32 = 16_777_216

  /// `SQLITE_OPEN_EXRESCODE`.
  public static let sqliteOpenExrescode: Int32 = 33_554_432

  /// `SQLITE_OPEN_MASTER_JOURNAL`.
  public static let sqliteOpenMasterJournal: Int32 = 16384

  /// `SQLITE_IOCAP_ATOMIC`.
  public static let sqliteIocapAtomic: Int32 = 1

  /// `SQLITE_IOCAP_ATOMIC512`.
  public static let sqliteIocapAtomic512: Int32 = 2

  /// `SQLITE_IOCAP_ATOMIC1K`.
  public static let sqliteIocapAtomic1k: Int32 = 4

  /// `SQLITE_IOCAP_ATOMIC2K`.
  public static let sqliteIocapAtomic2k: Int32 = 8

  /// `SQLITE_IOCAP_ATOMIC4K`.
  public static let sqliteIocapAtomic4k: Int32 = 16

  /// `SQLITE_IOCAP_ATOMIC8K`.
  public static let sqliteIocapAtomic8k: Int32 = 32

  /// `SQLITE_IOCAP_ATOMIC16K`.
  public static let sqliteIocapAtomic16k: Int32 = 64

  /// `SQLITE_IOCAP_ATOMIC32K`.
  public static let sqliteIocapAtomic32k: Int32 = 128

  /// `SQLITE_IOCAP_ATOMIC64K`.
  public static let sqliteIocapAtomic64k: Int32 = 256

  /// `SQLITE_IOCAP_SAFE_APPEND`.
  public static let sqliteIocapSafeAppend: Int32 = 512

  /// `SQLITE_IOCAP_SEQUENTIAL`.
  public static let sqliteIocapSequential: Int32 = 1024

  /// `SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN`.
  public static let sqliteIocapUndeletableWhenOpen: Int32 = 2048

  /// `SQLITE_IOCAP_POWERSAFE_OVERWRITE`.
  public static let sqliteIocapPowersafeOverwrite: Int32 = 4096

  /// `SQLITE_IOCAP_IMMUTABLE`.
  public static let sqliteIocapImmutable: Int32 = 8192

  /// `SQLITE_IOCAP_BATCH_ATOMIC`.
  public static let sqliteIocapBatchAtomic: Int32 = 16384

  /// `SQLITE_LOCK_NONE`.
  public static let sqliteLockNone: Int32 = 0

  /// `SQLITE_LOCK_SHARED`.
  public static let sqliteLockShared: Int32 = 1

  /// `SQLITE_LOCK_RESERVED`.
  public static let sqliteLockReserved: Int32 = 2

  /// `SQLITE_LOCK_PENDING`.
  public static let sqliteLockPending: Int32 = 3

  /// `SQLITE_LOCK_EXCLUSIVE`.
  public static let sqliteLockExclusive: Int32 = 4

  /// `SQLITE_SYNC_NORMAL`.
  public static let sqliteSyncNormal: Int32 = 2

  /// `SQLITE_SYNC_FULL`.
  public static let sqliteSyncFull: Int32 = 3

  /// `SQLITE_SYNC_DATAONLY`.
  public static let sqliteSyncDataonly: Int32 = 16

  /// `SQLITE_FCNTL_LOCKSTATE`.
  public static let sqliteFcntlLockstate: Int32 = 1

  /// `SQLITE_FCNTL_GET_LOCKPROXYFILE`.
  public static let sqliteFcntlGetLockproxyfile: Int32 = 2

  /// `SQLITE_FCNTL_SET_LOCKPROXYFILE`.
  public static let sqliteFcntlSetLockproxyfile: Int32 = 3

  /// `SQLITE_FCNTL_LAST_ERRNO`.
  public static let sqliteFcntlLastErrno: Int32 = 4

  /// `SQLITE_FCNTL_SIZE_HINT`.
  public static let sqliteFcntlSizeHint: Int32 = 5

  /// `SQLITE_FCNTL_CHUNK_SIZE`.
  public static let sqliteFcntlChunkSize: Int32 = 6

  /// `SQLITE_FCNTL_FILE_POINTER`.
  public static let sqliteFcntlFilePointer: Int32 = 7

  /// `SQLITE_FCNTL_SYNC_OMITTED`.
  public static let sqliteFcntlSyncOmitted: Int32 = 8

  /// `SQLITE_FCNTL_WIN32_AV_RETRY`.
  public static let sqliteFcntlWin32AvRetry: Int32 = 9

  /// `SQLITE_FCNTL_PERSIST_WAL`.
  public static let sqliteFcntlPersistWal: Int32 = 10

  /// `SQLITE_FCNTL_OVERWRITE`.
  public static let sqliteFcntlOverwrite: Int32 = 11

  /// `SQLITE_FCNTL_VFSNAME`.
  public static let sqliteFcntlVfsname: Int32 = 12

  /// `SQLITE_FCNTL_POWERSAFE_OVERWRITE`.
  public static let sqliteFcntlPowersafeOverwrite: Int32 = 13

  /// `SQLITE_FCNTL_PRAGMA`.
  public static let sqliteFcntlPragma: Int32 = 14

  /// `SQLITE_FCNTL_BUSYHANDLER`.
  public static let sqliteFcntlBusyhandler: Int32 = 15

  /// `SQLITE_FCNTL_TEMPFILENAME`.
  public static let sqliteFcntlTempfilename: Int32 = 16

  /// `SQLITE_FCNTL_MMAP_SIZE`.
  public static let sqliteFcntlMmapSize: Int32 = 18

  /// `SQLITE_FCNTL_TRACE`.
  public static let sqliteFcntlTrace: Int32 = 19

  /// `SQLITE_FCNTL_HAS_MOVED`.
  public static let sqliteFcntlHasMoved: Int32 = 20

  /// `SQLITE_FCNTL_SYNC`.
  public static let sqliteFcntlSync: Int32 = 21

  /// `SQLITE_FCNTL_COMMIT_PHASETWO`.
  public static let sqliteFcntlCommitPhasetwo: Int32 = 22

  /// `SQLITE_FCNTL_WIN32_SET_HANDLE`.
  public static let sqliteFcntlWin32SetHandle: Int32 = 23

  /// `SQLITE_FCNTL_WAL_BLOCK`.
  public static let sqliteFcntlWalBlock: Int32 = 24

  /// `SQLITE_FCNTL_ZIPVFS`.
  public static let sqliteFcntlZipvfs: Int32 = 25

  /// `SQLITE_FCNTL_RBU`.
  public static let sqliteFcntlRbu: Int32 = 26

  /// `SQLITE_FCNTL_VFS_POINTER`.
  public static let sqliteFcntlVfsPointer: Int32 = 27

  /// `SQLITE_FCNTL_JOURNAL_POINTER`.
  public static let sqliteFcntlJournalPointer: Int32 = 28

  /// `SQLITE_FCNTL_WIN32_GET_HANDLE`.
  public static let sqliteFcntlWin32GetHandle: Int32 = 29

  /// `SQLITE_FCNTL_PDB`.
  public static let sqliteFcntlPdb: Int32 = 30

  /// `SQLITE_FCNTL_BEGIN_ATOMIC_WRITE`.
  public static let sqliteFcntlBeginAtomicWrite: Int32 = 31

  /// `SQLITE_FCNTL_COMMIT_ATOMIC_WRITE`.
  public static let sqliteFcntlCommitAtomicWrite: Int32 = 32

  /// `SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE`.
  public static let sqliteFcntlRollbackAtomicWrite: Int32 = 33

  /// `SQLITE_FCNTL_LOCK_TIMEOUT`.
  public static let sqliteFcntlLockTimeout: Int32 = 34

  /// `SQLITE_FCNTL_DATA_VERSION`.
  public static let sqliteFcntlDataVersion: Int32 = 35

  /// `SQLITE_FCNTL_SIZE_LIMIT`.
  public static let sqliteFcntlSizeLimit: Int32 = 36

  /// `SQLITE_FCNTL_CKPT_DONE`.
  public static let sqliteFcntlCkptDone: Int32 = 37

  /// `SQLITE_FCNTL_RESERVE_BYTES`.
  public static let sqliteFcntlReserveBytes: Int32 = 38

  /// `SQLITE_FCNTL_CKPT_START`.
  public static let sqliteFcntlCkptStart: Int32 = 39

  /// `SQLITE_FCNTL_EXTERNAL_READER`.
  public static let sqliteFcntlExternalReader: Int32 = 40

  /// `SQLITE_FCNTL_CKSM_FILE`.
  public static let sqliteFcntlCksmFile: Int32 = 41

  /// `SQLITE_FCNTL_RESET_CACHE`.
  public static let sqliteFcntlResetCache: Int32 = 42

  /// `SQLITE_GET_LOCKPROXYFILE`.
  public static let sqliteGetLockproxyfile: Int32 = 2

  /// `SQLITE_SET_LOCKPROXYFILE`.
  public static let sqliteSetLockproxyfile: Int32 = 3

  /// `SQLITE_LAST_ERRNO`.
  public static let sqliteLastErrno: Int32 = 4

  /// `SQLITE_ACCESS_EXISTS`.
  public static let sqliteAccessExists: Int32 = 0

  /// `SQLITE_ACCESS_READWRITE`.
  public static let sqliteAccessReadwrite: Int32 = 1

  /// `SQLITE_ACCESS_READ`.
  public static let sqliteAccessRead: Int32 = 2

  /// `SQLITE_SHM_UNLOCK`.
  public static let sqliteShmUnlock: Int32 = 1

  /// `SQLITE_SHM_LOCK`.
  public static let sqliteShmLock: Int32 = 2

  /// `SQLITE_SHM_SHARED`.
  public static let sqliteShmShared: Int32 = 4

  /// `SQLITE_SHM_EXCLUSIVE`.
  public static let sqliteShmExclusive: Int32 = 8

  /// `SQLITE_SHM_NLOCK`.
  public static let sqliteShmNlock: Int32 = 8

  /// `SQLITE_CONFIG_SINGLETHREAD`.
  public static let sqliteConfigSinglethread: Int32 = 1

  /// `SQLITE_CONFIG_MULTITHREAD`.
  public static let sqliteConfigMultithread: Int32 = 2

  /// `SQLITE_CONFIG_SERIALIZED`.
  public static let sqliteConfigSerialized: Int32 = 3

  /// `SQLITE_CONFIG_MALLOC`.
  public static let sqliteConfigMalloc: Int32 = 4

  /// `SQLITE_CONFIG_GETMALLOC`.
  public static let sqliteConfigGetmalloc: Int32 = 5

  /// `SQLITE_CONFIG_SCRATCH`.
  public static let sqliteConfigScratch: Int32 = 6

  /// `SQLITE_CONFIG_PAGECACHE`.
  public static let sqliteConfigPagecache: Int32 = 7

  /// `SQLITE_CONFIG_HEAP`.
  public static let sqliteConfigHeap: Int32 = 8

  /// `SQLITE_CONFIG_MEMSTATUS`.
  public static let sqliteConfigMemstatus: Int32 = 9

  /// `SQLITE_CONFIG_MUTEX`.
  public static let sqliteConfigMutex: Int32 = 10

  /// `SQLITE_CONFIG_GETMUTEX`.
  public static let sqliteConfigGetmutex: Int32 = 11

  /// `SQLITE_CONFIG_LOOKASIDE`.
  public static let sqliteConfigLookaside: Int32 = 13

  /// `SQLITE_CONFIG_PCACHE`.
  public static let sqliteConfigPcache: Int32 = 14

  /// `SQLITE_CONFIG_GETPCACHE`.
  public static let sqliteConfigGetpcache: Int32 = 15

  /// `SQLITE_CONFIG_LOG`.
  public static let sqliteConfigLog: Int32 = 16

  /// `SQLITE_CONFIG_URI`.
  public static let sqliteConfigUri: Int32 = 17

  /// `SQLITE_CONFIG_PCACHE2`.
  public static let sqliteConfigPcache2: Int32 = 18

  /// `SQLITE_CONFIG_GETPCACHE2`.
  public static let sqliteConfigGetpcache2: Int32 = 19

  /// `SQLITE_CONFIG_COVERING_INDEX_SCAN`.
  public static let sqliteConfigCoveringIndexScan: Int32 = 20

  /// `SQLITE_CONFIG_SQLLOG`.
  public static let sqliteConfigSqllog: Int32 = 21

  /// `SQLITE_CONFIG_MMAP_SIZE`.
  public static let sqliteConfigMmapSize: Int32 = 22

  /// `SQLITE_CONFIG_WIN32_HEAPSIZE`.
  public static let sqliteConfigWin32Heapsize: Int32 = 23

  /// `SQLITE_CONFIG_PCACHE_HDRSZ`.
  public static let sqliteConfigPcacheHdrsz: Int32 = 24

  /// `SQLITE_CONFIG_PMASZ`.
  public static let sqliteConfigPmasz: Int32 = 25

  /// `SQLITE_CONFIG_STMTJRNL_SPILL`.
  public static let sqliteConfigStmtjrnlSpill: Int32 = 26

  /// `SQLITE_CONFIG_SMALL_MALLOC`.
  public static let sqliteConfigSmallMalloc: Int32 = 27

  /// `SQLITE_CONFIG_SORTERREF_SIZE`.
  public static let sqliteConfigSorterrefSize: Int32 = 28

  /// `SQLITE_CONFIG_MEMDB_MAXSIZE`.
  public static let sqliteConfigMemdbMaxsize: Int32 = 29

  /// `SQLITE_DBCONFIG_MAINDBNAME`.
  public static let sqliteDbconfigMaindbname: Int32 = 1000

  /// `SQLITE_DBCONFIG_LOOKASIDE`.
  public static let sqliteDbconfigLookaside: Int32 = 1001

  /// `SQLITE_DBCONFIG_ENABLE_FKEY`.
  public static let sqliteDbconfigEnableFkey: Int32 = 1002

  /// `SQLITE_DBCONFIG_ENABLE_TRIGGER`.
  public static let sqliteDbconfigEnableTrigger: Int32 = 1003

  /// `SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER`.
  public static let sqliteDbconfigEnableFts3Tokenizer: Int32 = 1004

  /// `SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION`.
  public static let sqliteDbconfigEnableLoadExtension: Int32 = 1005

  /// `SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE`.
  public static let sqliteDbconfigNoCkptOnClose: Int32 = 1006

  /// `SQLITE_DBCONFIG_ENABLE_QPSG`.
  public static let sqliteDbconfigEnableQpsg: Int32 = 1007

  /// `SQLITE_DBCONFIG_TRIGGER_EQP`.
  public static let sqliteDbconfigTriggerEqp: Int32 = 1008

  /// `SQLITE_DBCONFIG_RESET_DATABASE`.
  public static let sqliteDbconfigResetDatabase: Int32 = 1009

  /// `SQLITE_DBCONFIG_DEFENSIVE`.
  public static let sqliteDbconfigDefensive: Int32 = 1010

  /// `SQLITE_DBCONFIG_WRITABLE_SCHEMA`.
  public static let sqliteDbconfigWritableSchema: Int32 = 1011

  /// `SQLITE_DBCONFIG_LEGACY_ALTER_TABLE`.
  public static let sqliteDbconfigLegacyAlterTable: Int32 = 1012

  /// `SQLITE_DBCONFIG_DQS_DML`.
  public static let sqliteDbconfigDqsDml: Int32 = 1013

  /// `SQLITE_DBCONFIG_DQS_DDL`.
  public static let sqliteDbconfigDqsDdl: Int32 = 1014

  /// `SQLITE_DBCONFIG_ENABLE_VIEW`.
  public static let sqliteDbconfigEnableView: Int32 = 1015

  /// `SQLITE_DBCONFIG_LEGACY_FILE_FORMAT`.
  public static let sqliteDbconfigLegacyFileFormat: Int32 = 1016

  /// `SQLITE_DBCONFIG_TRUSTED_SCHEMA`.
  public static let sqliteDbconfigTrustedSchema: Int32 = 1017

  /// `SQLITE_DBCONFIG_MAX`.
  public static let sqliteDbconfigMax: Int32 = 1017

  /// `SQLITE_DENY`.
  public static let sqliteDeny: Int32 = 1

  /// `SQLITE_IGNORE`.
  public static let sqliteIgnore: Int32 = 2

  /// `SQLITE_CREATE_INDEX`.
  public static let sqliteCreateIndex: Int32 = 1

  /// `SQLITE_CREATE_TABLE`.
  public static let sqliteCreateTable: Int32 = 2

  /// `SQLITE_CREATE_TEMP_INDEX`.
  public static let sqliteCreateTempIndex: Int32 = 3

  /// `SQLITE_CREATE_TEMP_TABLE`.
  public static let sqliteCreateTempTable: Int32 = 4

  /// `SQLITE_CREATE_TEMP_TRIGGER`.
  public static let sqliteCreateTempTrigger: Int32 = 5

  /// `SQLITE_CREATE_TEMP_VIEW`.
  public static let sqliteCreateTempView: Int32 = 6

  /// `SQLITE_CREATE_TRIGGER`.
  public static let sqliteCreateTrigger: Int32 = 7

  /// `SQLITE_CREATE_VIEW`.
  public static let sqliteCreateView: Int32 = 8

  /// `SQLITE_DELETE`.
  public static let sqliteDelete: Int32 = 9

  /// `SQLITE_DROP_INDEX`.
  public static let sqliteDropIndex: Int32 = 10

  /// `SQLITE_DROP_TABLE`.
  public static let sqliteDropTable: Int32 = 11

  /// `SQLITE_DROP_TEMP_INDEX`.
  public static let sqliteDropTempIndex: Int32 = 12

  /// `SQLITE_DROP_TEMP_TABLE`.
  public static let sqliteDropTempTable: Int32 = 13

  /// `SQLITE_DROP_TEMP_TRIGGER`.
  public static let sqliteDropTempTrigger: Int32 = 14

  /// `SQLITE_DROP_TEMP_VIEW`.
  public static let sqliteDropTempView: Int32 = 15

  /// `SQLITE_DROP_TRIGGER`.
  public static let sqliteDropTrigger: Int32 = 16

  /// `SQLITE_DROP_VIEW`.
  public static let sqliteDropView: Int32 = 17

  /// `SQLITE_INSERT`.
  public static let sqliteInsert: Int32 = 18

  /// `SQLITE_PRAGMA`.
  public static let sqlitePragma: Int32 = 19

  /// `SQLITE_READ`.
  public static let sqliteRead: Int32 = 20

  /// `SQLITE_SELECT`.
  public static let sqliteSelect: Int32 = 21

  /// `SQLITE_TRANSACTION`.
  public static let sqliteTransaction: Int32 = 22

  /// `SQLITE_UPDATE`.
  public static let sqliteUpdate: Int32 = 23

  /// `SQLITE_ATTACH`.
  public static let sqliteAttach: Int32 = 24

  /// `SQLITE_DETACH`.
  public static let sqliteDetach: Int32 = 25

  /// `SQLITE_ALTER_TABLE`.
  public static let sqliteAlterTable: Int32 = 26

  /// `SQLITE_REINDEX`.
  public static let sqliteReindex: Int32 = 27

  /// `SQLITE_ANALYZE`.
  public static let sqliteAnalyze: Int32 = 28

  /// `SQLITE_CREATE_VTABLE`.
  public static let sqliteCreateVtable: Int32 = 29

  /// `SQLITE_DROP_VTABLE`.
  public static let sqliteDropVtable: Int32 = 30

  /// `SQLITE_FUNCTION`.
  public static let sqliteFunction: Int32 = 31

  /// `SQLITE_SAVEPOINT`.
  public static let sqliteSavepoint: Int32 = 32

  /// `SQLITE_COPY`.
  public static let sqliteCopy: Int32 = 0

  /// `SQLITE_RECURSIVE`.
  public static let sqliteRecursive: Int32 = 33

  /// `SQLITE_TRACE_STMT`.
  public static let sqliteTraceStmt: Int32 = 1

  /// `SQLITE_TRACE_PROFILE`.
  public static let sqliteTraceProfile: Int32 = 2

  /// `SQLITE_TRACE_ROW`.
  public static let sqliteTraceRow: Int32 = 4

  /// `SQLITE_TRACE_CLOSE`.
  public static let sqliteTraceClose: Int32 = 8

  /// `SQLITE_LIMIT_LENGTH`.
  public static let sqliteLimitLength: Int32 = 0

  /// `SQLITE_LIMIT_SQL_LENGTH`.
  public static let sqliteLimitSqlLength: Int32 = 1

  /// `SQLITE_LIMIT_COLUMN`.
  public static let sqliteLimitColumn: Int32 = 2

  /// `SQLITE_LIMIT_EXPR_DEPTH`.
  public static let sqliteLimitExprDepth: Int32 = 3

  /// `SQLITE_LIMIT_COMPOUND_SELECT`.
  public static let sqliteLimitCompoundSelect: Int32 = 4

  /// `SQLITE_LIMIT_VDBE_OP`.
  public static let sqliteLimitVdbeOp: Int32 = 5

  /// `SQLITE_LIMIT_FUNCTION_ARG`.
  public static let sqliteLimitFunctionArg: Int32 = 6

  /// `SQLITE_LIMIT_ATTACHED`.
  public static let sqliteLimitAttached: Int32 = 7

  /// `SQLITE_LIMIT_LIKE_PATTERN_LENGTH`.
  public static let sqliteLimitLikePatternLength: Int32 = 8

  /// `SQLITE_LIMIT_VARIABLE_NUMBER`.
  public static let sqliteLimitVariableNumber: Int32 = 9

  /// `SQLITE_LIMIT_TRIGGER_DEPTH`.
  public static let sqliteLimitTriggerDepth: Int32 = 10

  /// `SQLITE_LIMIT_WORKER_THREADS`.
  public static let sqliteLimitWorkerThreads: Int32 = 11

  /// `SQLITE_PREPARE_PERSISTENT`.
  public static let sqlitePreparePersistent: Int32 = 1

  /// `SQLITE_PREPARE_NORMALIZE`.
  public static let sqlitePrepareNormalize: Int32 = 2

  /// `SQLITE_PREPARE_NO_VTAB`.
  public static let sqlitePrepareNoVtab: Int32 = 4

  /// `SQLITE_INTEGER`.
  public static let sqliteInteger: Int32 = 1

  /// `SQLITE_FLOAT`.
  public static let sqliteFloat: Int32 = 2

  /// `SQLITE_BLOB`.
  public static let sqliteBlob: Int32 = 4

  /// `SQLITE_NULL`.
  public static let sqliteNull: Int32 = 5

  /// `SQLITE_TEXT`.
  public static let sqliteText: Int32 = 3

  /// `SQLITE3_TEXT`.
  public static let text: Int32 = 3

  /// `SQLITE_UTF8`.
  public static let sqliteUtf8: Int32 = 1

  /// `SQLITE_UTF16LE`.
  public static let sqliteUtf16le: Int32 = 2

  /// `SQLITE_UTF16BE`.
  public static let sqliteUtf16be: Int32 = 3

  /// `SQLITE_UTF16`.
  public static let sqliteUtf16: Int32 = 4

  /// `SQLITE_ANY`.
  public static let sqliteAny: Int32 = 5

  /// `SQLITE_UTF16_ALIGNED`.
  public static let sqliteUtf16Aligned: Int32 = 8

  /// `SQLITE_DETERMINISTIC`.
  public static let sqliteDeterministic: Int32 = 2048

  /// `SQLITE_DIRECTONLY`.
  public static let sqliteDirectonly: Int32 = 524288

  /// `SQLITE_SUBTYPE`.
  public static let sqliteSubtype: Int32 = 1_048_576

  /// `SQLITE_INNOCUOUS`.
  public static let sqliteInnocuous: Int32 = 2_097_152

  /// `SQLITE_WIN32_DATA_DIRECTORY_TYPE`.
  public static let sqliteWin32DataDirectoryType: Int32 = 1

  /// `SQLITE_WIN32_TEMP_DIRECTORY_TYPE`.
  public static let sqliteWin32TempDirectoryType: Int32 = 2

  /// `SQLITE_TXN_NONE`.
  public static let sqliteTxnNone: Int32 = 0

  /// `SQLITE_TXN_READ`.
  public static let sqliteTxnRead: Int32 = 1

  /// `SQLITE_TXN_WRITE`.
  public static let sqliteTxnWrite: Int32 = 2

  /// `SQLITE_INDEX_SCAN_UNIQUE`.
  public static let sqliteIndexScanUnique: Int32 = 1

  /// `SQLITE_INDEX_CONSTRAINT_EQ`.
  public static let sqliteIndexConstraintEq: Int32 = 2

  /// `SQLITE_INDEX_CONSTRAINT_GT`.
  public static let sqliteIndexConstraintGt: Int32 = 4

  /// `SQLITE_INDEX_CONSTRAINT_LE`.
  public static let sqliteIndexConstraintLe: Int32 = 8

  /// `SQLITE_INDEX_CONSTRAINT_LT`.
  public static let sqliteIndexConstraintLt: Int32 = 16

  /// `SQLITE_INDEX_CONSTRAINT_GE`.
  public static let sqliteIndexConstraintGe: Int32 = 32

  /// `SQLITE_INDEX_CONSTRAINT_MATCH`.
  public static let sqliteIndexConstraintMatch: Int32 = 64

  /// `SQLITE_INDEX_CONSTRAINT_LIKE`.
  public static let sqliteIndexConstraintLike: Int32 = 65

  /// `SQLITE_INDEX_CONSTRAINT_GLOB`.
  public static let sqliteIndexConstraintGlob: Int32 = 66

  /// `SQLITE_INDEX_CONSTRAINT_REGEXP`.
  public static let sqliteIndexConstraintRegexp: Int32 = 67

  /// `SQLITE_INDEX_CONSTRAINT_NE`.
  public static let sqliteIndexConstraintNe: Int32 = 68

  /// `SQLITE_INDEX_CONSTRAINT_ISNOT`.
  public static let sqliteIndexConstraintIsnot: Int32 = 69

  /// `SQLITE_INDEX_CONSTRAINT_ISNOTNULL`.
  public static let sqliteIndexConstraintIsnotnull: Int32 = 70

  /// `SQLITE_INDEX_CONSTRAINT_ISNULL`.
  public static let sqliteIndexConstraintIsnull: Int32 = 71

  /// `SQLITE_INDEX_CONSTRAINT_IS`.
  public static let sqliteIndexConstraintIs: Int32 = 72

  /// `SQLITE_INDEX_CONSTRAINT_LIMIT`.
  public static let sqliteIndexConstraintLimit: Int32 = 73

  /// `SQLITE_INDEX_CONSTRAINT_OFFSET`.
  public static let sqliteIndexConstraintOffset: Int32 = 74

  /// `SQLITE_INDEX_CONSTRAINT_FUNCTION`.
  public static let sqliteIndexConstraintFunction: Int32 = 150

  /// `SQLITE_MUTEX_FAST`.
  public static let sqliteMutexFast: Int32 = 0

  /// `SQLITE_MUTEX_RECURSIVE`.
  public static let sqliteMutexRecursive: Int32 = 1

  /// `SQLITE_MUTEX_STATIC_MAIN`.
  public static let sqliteMutexStaticMain: Int32 = 2

  /// `SQLITE_MUTEX_STATIC_MEM`.
  public static let sqliteMutexStaticMem: Int32 = 3

  /// `SQLITE_MUTEX_STATIC_MEM2`.
  public static let sqliteMutexStaticMem2: Int32 = 4

  /// `SQLITE_MUTEX_STATIC_OPEN`.
  public static let sqliteMutexStaticOpen: Int32 = 4

  /// `SQLITE_MUTEX_STATIC_PRNG`.
  public static let sqliteMutexStaticPrng: Int32 = 5

  /// `SQLITE_MUTEX_STATIC_LRU`.
  public static let sqliteMutexStaticLru: Int32 = 6

  /// `SQLITE_MUTEX_STATIC_LRU2`.
  public static let sqliteMutexStaticLru2: Int32 = 7

  /// `SQLITE_MUTEX_STATIC_PMEM`.
  public static let sqliteMutexStaticPmem: Int32 = 7

  /// `SQLITE_MUTEX_STATIC_APP1`.
  public static let sqliteMutexStaticApp1: Int32 = 8

  /// `SQLITE_MUTEX_STATIC_APP2`.
  public static let sqliteMutexStaticApp2: Int32 = 9

  /// `SQLITE_MUTEX_STATIC_APP3`.
  public static let sqliteMutexStaticApp3: Int32 = 10

  /// `SQLITE_MUTEX_STATIC_VFS1`.
  public static let sqliteMutexStaticVfs1: Int32 = 11

  /// `SQLITE_MUTEX_STATIC_VFS2`.
  public static let sqliteMutexStaticVfs2: Int32 = 12

  /// `SQLITE_MUTEX_STATIC_VFS3`.
  public static let sqliteMutexStaticVfs3: Int32 = 13

  /// `SQLITE_MUTEX_STATIC_MASTER`.
  public static let sqliteMutexStaticMaster: Int32 = 2

  /// `SQLITE_TESTCTRL_FIRST`.
  public static let sqliteTestctrlFirst: Int32 = 5

  /// `SQLITE_TESTCTRL_PRNG_SAVE`.
  public static let sqliteTestctrlPrngSave: Int32 = 5

  /// `SQLITE_TESTCTRL_PRNG_RESTORE`.
  public static let sqliteTestctrlPrngRestore: Int32 = 6

  /// `SQLITE_TESTCTRL_PRNG_RESET`.
  public static let sqliteTestctrlPrngReset: Int32 = 7

  /// `SQLITE_TESTCTRL_BITVEC_TEST`.
  public static let sqliteTestctrlBitvecTest: Int32 = 8

  /// `SQLITE_TESTCTRL_FAULT_INSTALL`.
  public static let sqliteTestctrlFaultInstall: Int32 = 9

  /// `SQLITE_TESTCTRL_BENIGN_MALLOC_HOOKS`.
  public static let sqliteTestctrlBenignMallocHooks: Int32 = 10

  /// `SQLITE_TESTCTRL_PENDING_BYTE`.
  public static let sqliteTestctrlPendingByte: Int32 = 11

  /// `SQLITE_TESTCTRL_ASSERT`.
  public static let sqliteTestctrlAssert: Int32 = 12

  /// `SQLITE_TESTCTRL_ALWAYS`.
  public static let sqliteTestctrlAlways: Int32 = 13

  /// `SQLITE_TESTCTRL_RESERVE`.
  public static let sqliteTestctrlReserve: Int32 = 14

  /// `SQLITE_TESTCTRL_OPTIMIZATIONS`.
  public static let sqliteTestctrlOptimizations: Int32 = 15

  /// `SQLITE_TESTCTRL_ISKEYWORD`.
  public static let sqliteTestctrlIskeyword: Int32 = 16

  /// `SQLITE_TESTCTRL_SCRATCHMALLOC`.
  public static let sqliteTestctrlScratchmalloc: Int32 = 17

  /// `SQLITE_TESTCTRL_INTERNAL_FUNCTIONS`.
  public static let sqliteTestctrlInternalFunctions: Int32 = 17

  /// `SQLITE_TESTCTRL_LOCALTIME_FAULT`.
  public static let sqliteTestctrlLocaltimeFault: Int32 = 18

  /// `SQLITE_TESTCTRL_EXPLAIN_STMT`.
  public static let sqliteTestctrlExplainStmt: Int32 = 19

  /// `SQLITE_TESTCTRL_ONCE_RESET_THRESHOLD`.
  public static let sqliteTestctrlOnceResetThreshold: Int32 = 19

  /// `SQLITE_TESTCTRL_NEVER_CORRUPT`.
  public static let sqliteTestctrlNeverCorrupt: Int32 = 20

  /// `SQLITE_TESTCTRL_VDBE_COVERAGE`.
  public static let sqliteTestctrlVdbeCoverage: Int32 = 21

  /// `SQLITE_TESTCTRL_BYTEORDER`.
  public static let sqliteTestctrlByteorder: Int32 = 22

  /// `SQLITE_TESTCTRL_ISINIT`.
  public static let sqliteTestctrlIsinit: Int32 = 23

  /// `SQLITE_TESTCTRL_SORTER_MMAP`.
  public static let sqliteTestctrlSorterMmap: Int32 = 24

  /// `SQLITE_TESTCTRL_IMPOSTER`.
  public static let sqliteTestctrlImposter: Int32 = 25

  /// `SQLITE_TESTCTRL_PARSER_COVERAGE`.
  public static let sqliteTestctrlParserCoverage: Int32 = 26

  /// `SQLITE_TESTCTRL_RESULT_INTREAL`.
  public static let sqliteTestctrlResultIntreal: Int32 = 27

  /// `SQLITE_TESTCTRL_PRNG_SEED`.
  public static let sqliteTestctrlPrngSeed: Int32 = 28

  /// `SQLITE_TESTCTRL_EXTRA_SCHEMA_CHECKS`.
  public static let sqliteTestctrlExtraSchemaChecks: Int32 = 29

  /// `SQLITE_TESTCTRL_SEEK_COUNT`.
  public static let sqliteTestctrlSeekCount: Int32 = 30

  /// `SQLITE_TESTCTRL_TRACEFLAGS`.
  public static let sqliteTestctrlTraceflags: Int32 = 31

  /// `SQLITE_TESTCTRL_TUNE`.
  public static let sqliteTestctrlTune: Int32 = 32

  /// `SQLITE_TESTCTRL_LOGEST`.
  public static let sqliteTestctrlLogest: Int32 = 33

  /// `SQLITE_TESTCTRL_LAST`.
  public static let sqliteTestctrlLast: Int32 = 33

  /// `SQLITE_STATUS_MEMORY_USED`.
  public static let sqliteStatusMemoryUsed: Int32 = 0

  /// `SQLITE_STATUS_PAGECACHE_USED`.
  public static let sqliteStatusPagecacheUsed: Int32 = 1

  /// `SQLITE_STATUS_PAGECACHE_OVERFLOW`.
  public static let sqliteStatusPagecacheOverflow: Int32 = 2

  /// `SQLITE_STATUS_SCRATCH_USED`.
  public static let sqliteStatusScratchUsed: Int32 = 3

  /// `SQLITE_STATUS_SCRATCH_OVERFLOW`.
  public static let sqliteStatusScratchOverflow: Int32 = 4

  /// `SQLITE_STATUS_MALLOC_SIZE`.
  public static let sqliteStatusMallocSize: Int32 = 5

  /// `SQLITE_STATUS_PARSER_STACK`.
  public static let sqliteStatusParserStack: Int32 = 6

  /// `SQLITE_STATUS_PAGECACHE_SIZE`.
  public static let sqliteStatusPagecacheSize: Int32 = 7

  /// `SQLITE_STATUS_SCRATCH_SIZE`.
  public static let sqliteStatusScratchSize: Int32 = 8

  /// `SQLITE_STATUS_MALLOC_COUNT`.
  public static let sqliteStatusMallocCount: Int32 = 9

  /// `SQLITE_DBSTATUS_LOOKASIDE_USED`.
  public static let sqliteDbstatusLookasideUsed: Int32 = 0

  /// `SQLITE_DBSTATUS_CACHE_USED`.
  public static let sqliteDbstatusCacheUsed: Int32 = 1

  /// `SQLITE_DBSTATUS_SCHEMA_USED`.
  public static let sqliteDbstatusSchemaUsed: Int32 = 2

  /// `SQLITE_DBSTATUS_STMT_USED`.
  public static let sqliteDbstatusStmtUsed: Int32 = 3

  /// `SQLITE_DBSTATUS_LOOKASIDE_HIT`.
  public static let sqliteDbstatusLookasideHit: Int32 = 4

  /// `SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE`.
  public static let sqliteDbstatusLookasideMissSize: Int32 = 5

  /// `SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL`.
  public static let sqliteDbstatusLookasideMissFull: Int32 = 6

  /// `SQLITE_DBSTATUS_CACHE_HIT`.
  public static let sqliteDbstatusCacheHit: Int32 = 7

  /// `SQLITE_DBSTATUS_CACHE_MISS`.
  public static let sqliteDbstatusCacheMiss: Int32 = 8

  /// `SQLITE_DBSTATUS_CACHE_WRITE`.
  public static let sqliteDbstatusCacheWrite: Int32 = 9

  /// `SQLITE_DBSTATUS_DEFERRED_FKS`.
  public static let sqliteDbstatusDeferredFks: Int32 = 10

  /// `SQLITE_DBSTATUS_CACHE_USED_SHARED`.
  public static let sqliteDbstatusCacheUsedShared: Int32 = 11

  /// `SQLITE_DBSTATUS_CACHE_SPILL`.
  public static let sqliteDbstatusCacheSpill: Int32 = 12

  /// `SQLITE_DBSTATUS_MAX`.
  public static let sqliteDbstatusMax: Int32 = 12

  /// `SQLITE_STMTSTATUS_FULLSCAN_STEP`.
  public static let sqliteStmtstatusFullscanStep: Int32 = 1

  /// `SQLITE_STMTSTATUS_SORT`.
  public static let sqliteStmtstatusSort: Int32 = 2

  /// `SQLITE_STMTSTATUS_AUTOINDEX`.
  public static let sqliteStmtstatusAutoindex: Int32 = 3

  /// `SQLITE_STMTSTATUS_VM_STEP`.
  public static let sqliteStmtstatusVmStep: Int32 = 4

  /// `SQLITE_STMTSTATUS_REPREPARE`.
  public static let sqliteStmtstatusReprepare: Int32 = 5

  /// `SQLITE_STMTSTATUS_RUN`.
  public static let sqliteStmtstatusRun: Int32 = 6

  /// `SQLITE_STMTSTATUS_FILTER_MISS`.
  public static let sqliteStmtstatusFilterMiss: Int32 = 7

  /// `SQLITE_STMTSTATUS_FILTER_HIT`.
  public static let sqliteStmtstatusFilterHit: Int32 = 8

  /// `SQLITE_STMTSTATUS_MEMUSED`.
  public static let sqliteStmtstatusMemused: Int32 = 99

  /// `SQLITE_CHECKPOINT_PASSIVE`.
  public static let sqliteCheckpointPassive: Int32 = 0

  /// `SQLITE_CHECKPOINT_FULL`.
  public static let sqliteCheckpointFull: Int32 = 1

  /// `SQLITE_CHECKPOINT_RESTART`.
  public static let sqliteCheckpointRestart: Int32 = 2

  /// `SQLITE_CHECKPOINT_TRUNCATE`.
  public static let sqliteCheckpointTruncate: Int32 = 3

  /// `SQLITE_VTAB_CONSTRAINT_SUPPORT`.
  public static let sqliteVtabConstraintSupport: Int32 = 1

  /// `SQLITE_VTAB_INNOCUOUS`.
  public static let sqliteVtabInnocuous: Int32 = 2

  /// `SQLITE_VTAB_DIRECTONLY`.
  public static let sqliteVtabDirectonly: Int32 = 3

  /// `SQLITE_ROLLBACK`.
  public static let sqliteRollback: Int32 = 1

  /// `SQLITE_FAIL`.
  public static let sqliteFail: Int32 = 3

  /// `SQLITE_REPLACE`.
  public static let sqliteReplace: Int32 = 5

  /// `SQLITE_SCANSTAT_NLOOP`.
  public static let sqliteScanstatNloop: Int32 = 0

  /// `SQLITE_SCANSTAT_NVISIT`.
  public static let sqliteScanstatNvisit: Int32 = 1

  /// `SQLITE_SCANSTAT_EST`.
  public static let sqliteScanstatEst: Int32 = 2

  /// `SQLITE_SCANSTAT_NAME`.
  public static let sqliteScanstatName: Int32 = 3

  /// `SQLITE_SCANSTAT_EXPLAIN`.
  public static let sqliteScanstatExplain: Int32 = 4

  /// `SQLITE_SCANSTAT_SELECTID`.
  public static let sqliteScanstatSelectid: Int32 = 5

  /// `SQLITE_SERIALIZE_NOCOPY`.
  public static let sqliteSerializeNocopy: Int32 = 1

  /// `SQLITE_DESERIALIZE_FREEONCLOSE`.
  public static let sqliteDeserializeFreeonclose: Int32 = 1

  /// `SQLITE_DESERIALIZE_RESIZEABLE`.
  public static let sqliteDeserializeResizeable: Int32 = 2

  /// `SQLITE_DESERIALIZE_READONLY`.
  public static let sqliteDeserializeReadonly: Int32 = 4

  /// `NOT_WITHIN`.
  public static let notWithin: Int32 = 0

  /// `PARTLY_WITHIN`.
  public static let partlyWithin: Int32 = 1

  /// `FULLY_WITHIN`.
  public static let fullyWithin: Int32 = 2

  /// `FTS5_TOKENIZE_QUERY`.
  public static let fts5TokenizeQuery: Int32 = 1

  /// `FTS5_TOKENIZE_PREFIX`.
  public static let fts5TokenizePrefix: Int32 = 2

  /// `FTS5_TOKENIZE_DOCUMENT`.
  public static let fts5TokenizeDocument: Int32 = 4

  /// `FTS5_TOKENIZE_AUX`.
  public static let fts5TokenizeAux: Int32 = 8

  /// `FTS5_TOKEN_COLOCATED`.
  public static let fts5TokenColocated: Int32 = 1
}
