// Written by wrap-library from mosquitto.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CMosquitto

/// Error values.
nonisolated public struct MosqErr: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: mosq_err_t.RawValue

  /// Creates it from the value in C.
  public init(rawValue: mosq_err_t.RawValue) { self.rawValue = rawValue }

  /// Error values.
  public static let authContinue = Self(rawValue: MOSQ_ERR_AUTH_CONTINUE.rawValue)

  /// Error values.
  public static let noSubscribers = Self(rawValue: MOSQ_ERR_NO_SUBSCRIBERS.rawValue)

  /// Error values.
  public static let subExists = Self(rawValue: MOSQ_ERR_SUB_EXISTS.rawValue)

  /// Error values.
  public static let connPending = Self(rawValue: MOSQ_ERR_CONN_PENDING.rawValue)

  /// Error values.
  public static let success = Self(rawValue: MOSQ_ERR_SUCCESS.rawValue)

  /// Error values.
  public static let nomem = Self(rawValue: MOSQ_ERR_NOMEM.rawValue)

  /// Error values.
  public static let `protocol` = Self(rawValue: MOSQ_ERR_PROTOCOL.rawValue)

  /// Error values.
  public static let inval = Self(rawValue: MOSQ_ERR_INVAL.rawValue)

  /// Error values.
  public static let noConn = Self(rawValue: MOSQ_ERR_NO_CONN.rawValue)

  /// Error values.
  public static let connRefused = Self(rawValue: MOSQ_ERR_CONN_REFUSED.rawValue)

  /// Error values.
  public static let notFound = Self(rawValue: MOSQ_ERR_NOT_FOUND.rawValue)

  /// Error values.
  public static let connLost = Self(rawValue: MOSQ_ERR_CONN_LOST.rawValue)

  /// Error values.
  public static let tls = Self(rawValue: MOSQ_ERR_TLS.rawValue)

  /// Error values.
  public static let payloadSize = Self(rawValue: MOSQ_ERR_PAYLOAD_SIZE.rawValue)

  /// Error values.
  public static let notSupported = Self(rawValue: MOSQ_ERR_NOT_SUPPORTED.rawValue)

  /// Error values.
  public static let auth = Self(rawValue: MOSQ_ERR_AUTH.rawValue)

  /// Error values.
  public static let aclDenied = Self(rawValue: MOSQ_ERR_ACL_DENIED.rawValue)

  /// Error values.
  public static let unknown = Self(rawValue: MOSQ_ERR_UNKNOWN.rawValue)

  /// Error values.
  public static let errno = Self(rawValue: MOSQ_ERR_ERRNO.rawValue)

  /// Error values.
  public static let eai = Self(rawValue: MOSQ_ERR_EAI.rawValue)

  /// Error values.
  public static let proxy = Self(rawValue: MOSQ_ERR_PROXY.rawValue)

  /// Error values.
  public static let pluginDefer = Self(rawValue: MOSQ_ERR_PLUGIN_DEFER.rawValue)

  /// Error values.
  public static let malformedUtf8 = Self(rawValue: MOSQ_ERR_MALFORMED_UTF8.rawValue)

  /// Error values.
  public static let keepalive = Self(rawValue: MOSQ_ERR_KEEPALIVE.rawValue)

  /// Error values.
  public static let lookup = Self(rawValue: MOSQ_ERR_LOOKUP.rawValue)

  /// Error values.
  public static let malformedPacket = Self(rawValue: MOSQ_ERR_MALFORMED_PACKET.rawValue)

  /// Error values.
  public static let duplicateProperty = Self(rawValue: MOSQ_ERR_DUPLICATE_PROPERTY.rawValue)

  /// Error values.
  public static let tlsHandshake = Self(rawValue: MOSQ_ERR_TLS_HANDSHAKE.rawValue)

  /// Error values.
  public static let qosNotSupported = Self(rawValue: MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue)

  /// Error values.
  public static let oversizePacket = Self(rawValue: MOSQ_ERR_OVERSIZE_PACKET.rawValue)

  /// Error values.
  public static let ocsp = Self(rawValue: MOSQ_ERR_OCSP.rawValue)

  /// Error values.
  public static let timeout = Self(rawValue: MOSQ_ERR_TIMEOUT.rawValue)

  /// Error values.
  public static let retainNotSupported = Self(rawValue: MOSQ_ERR_RETAIN_NOT_SUPPORTED.rawValue)

  /// Error values.
  public static let topicAliasInvalid = Self(rawValue: MOSQ_ERR_TOPIC_ALIAS_INVALID.rawValue)

  /// Error values.
  public static let administrativeAction = Self(rawValue: MOSQ_ERR_ADMINISTRATIVE_ACTION.rawValue)

  /// Error values.
  public static let alreadyExists = Self(rawValue: MOSQ_ERR_ALREADY_EXISTS.rawValue)
}

/// Option values.
nonisolated public struct MosqOpt: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: mosq_opt_t.RawValue

  /// Creates it from the value in C.
  public init(rawValue: mosq_opt_t.RawValue) { self.rawValue = rawValue }

  /// Option values.
  public static let protocolVersion = Self(rawValue: MOSQ_OPT_PROTOCOL_VERSION.rawValue)

  /// Option values.
  public static let sslCtx = Self(rawValue: MOSQ_OPT_SSL_CTX.rawValue)

  /// Option values.
  public static let sslCtxWithDefaults = Self(rawValue: MOSQ_OPT_SSL_CTX_WITH_DEFAULTS.rawValue)

  /// Option values.
  public static let receiveMaximum = Self(rawValue: MOSQ_OPT_RECEIVE_MAXIMUM.rawValue)

  /// Option values.
  public static let sendMaximum = Self(rawValue: MOSQ_OPT_SEND_MAXIMUM.rawValue)

  /// Option values.
  public static let tlsKeyform = Self(rawValue: MOSQ_OPT_TLS_KEYFORM.rawValue)

  /// Option values.
  public static let tlsEngine = Self(rawValue: MOSQ_OPT_TLS_ENGINE.rawValue)

  /// Option values.
  public static let tlsEngineKpassSha1 = Self(rawValue: MOSQ_OPT_TLS_ENGINE_KPASS_SHA1.rawValue)

  /// Option values.
  public static let tlsOcspRequired = Self(rawValue: MOSQ_OPT_TLS_OCSP_REQUIRED.rawValue)

  /// Option values.
  public static let tlsAlpn = Self(rawValue: MOSQ_OPT_TLS_ALPN.rawValue)

  /// Option values.
  public static let tcpNodelay = Self(rawValue: MOSQ_OPT_TCP_NODELAY.rawValue)

  /// Option values.
  public static let bindAddress = Self(rawValue: MOSQ_OPT_BIND_ADDRESS.rawValue)

  /// Option values.
  public static let tlsUseOsCerts = Self(rawValue: MOSQ_OPT_TLS_USE_OS_CERTS.rawValue)
}

/// A copy of the struct `mosquitto_message` of C.
nonisolated public struct Message: Sendable {
  /// The field `mid`.
  public let mid: Int32

  /// The field `topic`.
  public let topic: String?

  /// The field `payload`.
  public let payload: [UInt8]

  /// The field `qos`.
  public let qos: Int32

  /// The field `retain`.
  public let retain: Bool

  init(copying value: mosquitto_message) {
    self.mid = value.mid
    self.topic = value.topic.map { String(cString: $0) }
    self.payload = [UInt8](
      UnsafeRawBufferPointer(start: value.payload, count: value.payload == nil ? 0 : Int(value.payloadlen)))
    self.qos = value.qos
    self.retain = value.retain
  }
}

/// The numbers that the headers define.
nonisolated public enum MosquittoConstant {
  /// `true`.
  public static let `true`: Int32 = 1

  /// `false`.
  public static let `false`: Int32 = 0

  /// `LIBMOSQUITTO_MAJOR`.
  public static let libmosquittoMajor: Int32 = 2

  /// `LIBMOSQUITTO_MINOR`.
  public static let libmosquittoMinor: Int32 = 0

  /// `LIBMOSQUITTO_REVISION`.
  public static let libmosquittoRevision: Int32 = 11

  /// `LIBMOSQUITTO_VERSION_NUMBER`.
  public static let libmosquittoVersionNumber: Int32 = 2_000_011

  /// `MOSQ_LOG_NONE`.
  public static let mosqLogNone: Int32 = 0

  /// `MOSQ_LOG_INFO`.
  public static let mosqLogInfo: Int32 = 1

  /// `MOSQ_LOG_NOTICE`.
  public static let mosqLogNotice: Int32 = 2

  /// `MOSQ_LOG_WARNING`.
  public static let mosqLogWarning: Int32 = 4

  /// `MOSQ_LOG_ERR`.
  public static let mosqLogErr: Int32 = 8

  /// `MOSQ_LOG_DEBUG`.
  public static let mosqLogDebug: Int32 = 16

  /// `MOSQ_LOG_SUBSCRIBE`.
  public static let mosqLogSubscribe: Int32 = 32

  /// `MOSQ_LOG_UNSUBSCRIBE`.
  public static let mosqLogUnsubscribe: Int32 = 64

  /// `MOSQ_LOG_WEBSOCKETS`.
  public static let mosqLogWebsockets: Int32 = 128

  /// `MOSQ_LOG_INTERNAL`.
  public static let mosqLogInternal: Int = 2_147_483_648

  /// `MOSQ_LOG_ALL`.
  public static let mosqLogAll: Int = 4_294_967_295

  /// `MOSQ_MQTT_ID_MAX_LENGTH`.
  public static let mosqMqttIdMaxLength: Int32 = 23

  /// `MQTT_PROTOCOL_V31`.
  public static let mqttProtocolV31: Int32 = 3

  /// `MQTT_PROTOCOL_V311`.
  public static let mqttProtocolV311: Int32 = 4

  /// `MQTT_PROTOCOL_V5`.
  public static let mqttProtocolV5: Int32 = 5
}
