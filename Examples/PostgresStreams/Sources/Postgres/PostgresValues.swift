// Written by wrap-library from libpq-fe.h, libpq-events.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CPostgres

/// The constants of `ConnStatusType`.
nonisolated public struct ConnStatusTypeKind: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: ConnStatusType.RawValue

  /// Creates it from the value in C.
  public init(rawValue: ConnStatusType.RawValue) { self.rawValue = rawValue }

  /// `CONNECTION_OK`.
  public static let ok = Self(rawValue: CONNECTION_OK.rawValue)

  /// `CONNECTION_BAD`.
  public static let bad = Self(rawValue: CONNECTION_BAD.rawValue)

  /// Waiting for connection to be made.
  public static let started = Self(rawValue: CONNECTION_STARTED.rawValue)

  /// Connection OK; waiting to send.
  public static let made = Self(rawValue: CONNECTION_MADE.rawValue)

  /// Waiting for a response from the postmaster.
  public static let awaitingResponse = Self(rawValue: CONNECTION_AWAITING_RESPONSE.rawValue)

  /// Received authentication; waiting for backend startup.
  public static let authOk = Self(rawValue: CONNECTION_AUTH_OK.rawValue)

  /// This state is no longer used.
  public static let setenv = Self(rawValue: CONNECTION_SETENV.rawValue)

  /// Negotiating SSL.
  public static let sslStartup = Self(rawValue: CONNECTION_SSL_STARTUP.rawValue)

  /// Internal state: connect() needed.
  public static let needed = Self(rawValue: CONNECTION_NEEDED.rawValue)

  /// Checking if session is read-write.
  public static let checkWritable = Self(rawValue: CONNECTION_CHECK_WRITABLE.rawValue)

  /// Consuming any extra messages.
  public static let consume = Self(rawValue: CONNECTION_CONSUME.rawValue)

  /// Negotiating GSSAPI.
  public static let gssStartup = Self(rawValue: CONNECTION_GSS_STARTUP.rawValue)

  /// Checking target server properties.
  public static let checkTarget = Self(rawValue: CONNECTION_CHECK_TARGET.rawValue)

  /// Checking if server is in standby mode.
  public static let checkStandby = Self(rawValue: CONNECTION_CHECK_STANDBY.rawValue)
}

/// The constants of `PostgresPollingStatusType`.
nonisolated public struct PostgresPollingStatusTypeKind: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: PostgresPollingStatusType.RawValue

  /// Creates it from the value in C.
  public init(rawValue: PostgresPollingStatusType.RawValue) { self.rawValue = rawValue }

  /// `PGRES_POLLING_FAILED`.
  public static let failed = Self(rawValue: PGRES_POLLING_FAILED.rawValue)

  /// These two indicate that one may.
  public static let reading = Self(rawValue: PGRES_POLLING_READING.rawValue)

  /// Use select before polling again.
  public static let writing = Self(rawValue: PGRES_POLLING_WRITING.rawValue)

  /// `PGRES_POLLING_OK`.
  public static let ok = Self(rawValue: PGRES_POLLING_OK.rawValue)

  /// Unused; keep for awhile for backwards compatibility.
  public static let active = Self(rawValue: PGRES_POLLING_ACTIVE.rawValue)
}

/// The constants of `ExecStatusType`.
nonisolated public struct ExecStatusTypeKind: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: ExecStatusType.RawValue

  /// Creates it from the value in C.
  public init(rawValue: ExecStatusType.RawValue) { self.rawValue = rawValue }

  /// Empty query string was executed.
  public static let emptyQuery = Self(rawValue: PGRES_EMPTY_QUERY.rawValue)

  /// A query command that doesn't return anything was executed properly by the backend.
  public static let commandOk = Self(rawValue: PGRES_COMMAND_OK.rawValue)

  /// A query command that returns tuples was executed properly by the backend, PGresult contains the result tuples.
  public static let tuplesOk = Self(rawValue: PGRES_TUPLES_OK.rawValue)

  /// Copy Out data transfer in progress.
  public static let copyOut = Self(rawValue: PGRES_COPY_OUT.rawValue)

  /// Copy In data transfer in progress.
  public static let copyIn = Self(rawValue: PGRES_COPY_IN.rawValue)

  /// An unexpected response was recv'd from the backend.
  public static let badResponse = Self(rawValue: PGRES_BAD_RESPONSE.rawValue)

  /// Notice or warning message.
  public static let nonfatalError = Self(rawValue: PGRES_NONFATAL_ERROR.rawValue)

  /// Query failed.
  public static let fatalError = Self(rawValue: PGRES_FATAL_ERROR.rawValue)

  /// Copy In/Out data transfer in progress.
  public static let copyBoth = Self(rawValue: PGRES_COPY_BOTH.rawValue)

  /// Single tuple from larger resultset.
  public static let singleTuple = Self(rawValue: PGRES_SINGLE_TUPLE.rawValue)

  /// Pipeline synchronization point.
  public static let pipelineSync = Self(rawValue: PGRES_PIPELINE_SYNC.rawValue)

  /// Command didn't run because of an abort earlier in a pipeline.
  public static let pipelineAborted = Self(rawValue: PGRES_PIPELINE_ABORTED.rawValue)
}

/// The constants of `PGTransactionStatusType`.
nonisolated public struct PgTransactionStatusType: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: PGTransactionStatusType.RawValue

  /// Creates it from the value in C.
  public init(rawValue: PGTransactionStatusType.RawValue) { self.rawValue = rawValue }

  /// Connection idle.
  public static let idle = Self(rawValue: PQTRANS_IDLE.rawValue)

  /// Command in progress.
  public static let active = Self(rawValue: PQTRANS_ACTIVE.rawValue)

  /// Idle, within transaction block.
  public static let intrans = Self(rawValue: PQTRANS_INTRANS.rawValue)

  /// Idle, within failed transaction.
  public static let inerror = Self(rawValue: PQTRANS_INERROR.rawValue)

  /// Cannot determine status.
  public static let unknown = Self(rawValue: PQTRANS_UNKNOWN.rawValue)
}

/// The constants of `PGVerbosity`.
nonisolated public struct PgVerbosity: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: PGVerbosity.RawValue

  /// Creates it from the value in C.
  public init(rawValue: PGVerbosity.RawValue) { self.rawValue = rawValue }

  /// Single-line error messages.
  public static let terse = Self(rawValue: PQERRORS_TERSE.rawValue)

  /// Recommended style.
  public static let `default` = Self(rawValue: PQERRORS_DEFAULT.rawValue)

  /// All the facts, ma'am.
  public static let verbose = Self(rawValue: PQERRORS_VERBOSE.rawValue)

  /// Only error severity and SQLSTATE code.
  public static let sqlstate = Self(rawValue: PQERRORS_SQLSTATE.rawValue)
}

/// The constants of `PGContextVisibility`.
nonisolated public struct PgContextVisibility: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: PGContextVisibility.RawValue

  /// Creates it from the value in C.
  public init(rawValue: PGContextVisibility.RawValue) { self.rawValue = rawValue }

  /// Never show CONTEXT field.
  public static let never = Self(rawValue: PQSHOW_CONTEXT_NEVER.rawValue)

  /// Show CONTEXT for errors only (default).
  public static let errors = Self(rawValue: PQSHOW_CONTEXT_ERRORS.rawValue)

  /// Always show CONTEXT field.
  public static let always = Self(rawValue: PQSHOW_CONTEXT_ALWAYS.rawValue)
}

/// The constants of `PGPing`.
nonisolated public struct PgPing: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: PGPing.RawValue

  /// Creates it from the value in C.
  public init(rawValue: PGPing.RawValue) { self.rawValue = rawValue }

  /// Server is accepting connections.
  public static let ok = Self(rawValue: PQPING_OK.rawValue)

  /// Server is alive but rejecting connections.
  public static let reject = Self(rawValue: PQPING_REJECT.rawValue)

  /// Could not establish connection.
  public static let noResponse = Self(rawValue: PQPING_NO_RESPONSE.rawValue)

  /// Connection not attempted (bad params).
  public static let noAttempt = Self(rawValue: PQPING_NO_ATTEMPT.rawValue)
}

/// PGpipelineStatus.
nonisolated public struct PGpipelineStatusKind: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: PGpipelineStatus.RawValue

  /// Creates it from the value in C.
  public init(rawValue: PGpipelineStatus.RawValue) { self.rawValue = rawValue }

  /// `PQ_PIPELINE_OFF`.
  public static let off = Self(rawValue: PQ_PIPELINE_OFF.rawValue)

  /// `PQ_PIPELINE_ON`.
  public static let on = Self(rawValue: PQ_PIPELINE_ON.rawValue)

  /// `PQ_PIPELINE_ABORTED`.
  public static let aborted = Self(rawValue: PQ_PIPELINE_ABORTED.rawValue)
}

/// Callback Event Ids.
nonisolated public struct PgEventId: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: PGEventId.RawValue

  /// Creates it from the value in C.
  public init(rawValue: PGEventId.RawValue) { self.rawValue = rawValue }

  /// `PGEVT_REGISTER`.
  public static let register = Self(rawValue: PGEVT_REGISTER.rawValue)

  /// `PGEVT_CONNRESET`.
  public static let connreset = Self(rawValue: PGEVT_CONNRESET.rawValue)

  /// `PGEVT_CONNDESTROY`.
  public static let conndestroy = Self(rawValue: PGEVT_CONNDESTROY.rawValue)

  /// `PGEVT_RESULTCREATE`.
  public static let resultcreate = Self(rawValue: PGEVT_RESULTCREATE.rawValue)

  /// `PGEVT_RESULTCOPY`.
  public static let resultcopy = Self(rawValue: PGEVT_RESULTCOPY.rawValue)

  /// `PGEVT_RESULTDESTROY`.
  public static let resultdestroy = Self(rawValue: PGEVT_RESULTDESTROY.rawValue)
}

/// The numbers that the headers define.
nonisolated public enum PostgresConstant {
  /// `LIBPQ_HAS_PIPELINING`.
  public static let libpqHasPipelining: Int32 = 1

  /// `LIBPQ_HAS_TRACE_FLAGS`.
  public static let libpqHasTraceFlags: Int32 = 1

  /// `LIBPQ_HAS_SSL_LIBRARY_DETECTION`.
  public static let libpqHasSslLibraryDetection: Int32 = 1

  /// `PG_COPYRES_ATTRS`.
  public static let pgCopyresAttrs: Int32 = 1

  /// `PG_COPYRES_TUPLES`.
  public static let pgCopyresTuples: Int32 = 2

  /// `PG_COPYRES_EVENTS`.
  public static let pgCopyresEvents: Int32 = 4

  /// `PG_COPYRES_NOTICEHOOKS`.
  public static let pgCopyresNoticehooks: Int32 = 8

  /// `PQTRACE_SUPPRESS_TIMESTAMPS`.
  public static let pqtraceSuppressTimestamps: Int32 = 1

  /// `PQTRACE_REGRESS_MODE`.
  public static let pqtraceRegressMode: Int32 = 2

  /// `PQ_QUERY_PARAM_MAX_LIMIT`.
  public static let queryParamMaxLimit: Int32 = 65535
}
