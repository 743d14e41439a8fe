// Written by wrap-library from mosquitto.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CMosquitto

/// Error values.
nonisolated public struct MosqErr: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: mosq_err_t.RawValue

  /// Creates it from the value in C.
  public init(rawValue: mosq_err_t.RawValue) { self.rawValue = rawValue }

  /// `MOSQ_ERR_AUTH_CONTINUE`.
  public static let authContinue = Self(rawValue: MOSQ_ERR_AUTH_CONTINUE.rawValue)

  /// `MOSQ_ERR_NO_SUBSCRIBERS`.
  public static let noSubscribers = Self(rawValue: MOSQ_ERR_NO_SUBSCRIBERS.rawValue)

  /// `MOSQ_ERR_SUB_EXISTS`.
  public static let subExists = Self(rawValue: MOSQ_ERR_SUB_EXISTS.rawValue)

  /// `MOSQ_ERR_CONN_PENDING`.
  public static let connPending = Self(rawValue: MOSQ_ERR_CONN_PENDING.rawValue)

  /// `MOSQ_ERR_SUCCESS`.
  public static let success = Self(rawValue: MOSQ_ERR_SUCCESS.rawValue)

  /// `MOSQ_ERR_NOMEM`.
  public static let nomem = Self(rawValue: MOSQ_ERR_NOMEM.rawValue)

  /// `MOSQ_ERR_PROTOCOL`.
  public static let `protocol` = Self(rawValue: MOSQ_ERR_PROTOCOL.rawValue)

  /// `MOSQ_ERR_INVAL`.
  public static let inval = Self(rawValue: MOSQ_ERR_INVAL.rawValue)

  /// `MOSQ_ERR_NO_CONN`.
  public static let noConn = Self(rawValue: MOSQ_ERR_NO_CONN.rawValue)

  /// `MOSQ_ERR_CONN_REFUSED`.
  public static let connRefused = Self(rawValue: MOSQ_ERR_CONN_REFUSED.rawValue)

  /// `MOSQ_ERR_NOT_FOUND`.
  public static let notFound = Self(rawValue: MOSQ_ERR_NOT_FOUND.rawValue)

  /// `MOSQ_ERR_CONN_LOST`.
  public static let connLost = Self(rawValue: MOSQ_ERR_CONN_LOST.rawValue)

  /// `MOSQ_ERR_TLS`.
  public static let tls = Self(rawValue: MOSQ_ERR_TLS.rawValue)

  /// `MOSQ_ERR_PAYLOAD_SIZE`.
  public static let payloadSize = Self(rawValue: MOSQ_ERR_PAYLOAD_SIZE.rawValue)

  /// `MOSQ_ERR_NOT_SUPPORTED`.
  public static let notSupported = Self(rawValue: MOSQ_ERR_NOT_SUPPORTED.rawValue)

  /// `MOSQ_ERR_AUTH`.
  public static let auth = Self(rawValue: MOSQ_ERR_AUTH.rawValue)

  /// `MOSQ_ERR_ACL_DENIED`.
  public static let aclDenied = Self(rawValue: MOSQ_ERR_ACL_DENIED.rawValue)

  /// `MOSQ_ERR_UNKNOWN`.
  public static let unknown = Self(rawValue: MOSQ_ERR_UNKNOWN.rawValue)

  /// `MOSQ_ERR_ERRNO`.
  public static let errno = Self(rawValue: MOSQ_ERR_ERRNO.rawValue)

  /// `MOSQ_ERR_EAI`.
  public static let eai = Self(rawValue: MOSQ_ERR_EAI.rawValue)

  /// `MOSQ_ERR_PROXY`.
  public static let proxy = Self(rawValue: MOSQ_ERR_PROXY.rawValue)

  /// `MOSQ_ERR_PLUGIN_DEFER`.
  public static let pluginDefer = Self(rawValue: MOSQ_ERR_PLUGIN_DEFER.rawValue)

  /// `MOSQ_ERR_MALFORMED_UTF8`.
  public static let malformedUtf8 = Self(rawValue: MOSQ_ERR_MALFORMED_UTF8.rawValue)

  /// `MOSQ_ERR_KEEPALIVE`.
  public static let keepalive = Self(rawValue: MOSQ_ERR_KEEPALIVE.rawValue)

  /// `MOSQ_ERR_LOOKUP`.
  public static let lookup = Self(rawValue: MOSQ_ERR_LOOKUP.rawValue)

  /// `MOSQ_ERR_MALFORMED_PACKET`.
  public static let malformedPacket = Self(rawValue: MOSQ_ERR_MALFORMED_PACKET.rawValue)

  /// `MOSQ_ERR_DUPLICATE_PROPERTY`.
  public static let duplicateProperty = Self(rawValue: MOSQ_ERR_DUPLICATE_PROPERTY.rawValue)

  /// `MOSQ_ERR_TLS_HANDSHAKE`.
  public static let tlsHandshake = Self(rawValue: MOSQ_ERR_TLS_HANDSHAKE.rawValue)

  /// `MOSQ_ERR_QOS_NOT_SUPPORTED`.
  public static let qosNotSupported = Self(rawValue: MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue)

  /// `MOSQ_ERR_OVERSIZE_PACKET`.
  public static let oversizePacket = Self(rawValue: MOSQ_ERR_OVERSIZE_PACKET.rawValue)

  /// `MOSQ_ERR_OCSP`.
  public static let ocsp = Self(rawValue: MOSQ_ERR_OCSP.rawValue)

  /// `MOSQ_ERR_TIMEOUT`.
  public static let timeout = Self(rawValue: MOSQ_ERR_TIMEOUT.rawValue)

  /// `MOSQ_ERR_RETAIN_NOT_SUPPORTED`.
  public static let retainNotSupported = Self(rawValue: MOSQ_ERR_RETAIN_NOT_SUPPORTED.rawValue)

  /// `MOSQ_ERR_TOPIC_ALIAS_INVALID`.
  public static let topicAliasInvalid = Self(rawValue: MOSQ_ERR_TOPIC_ALIAS_INVALID.rawValue)

  /// `MOSQ_ERR_ADMINISTRATIVE_ACTION`.
  public static let administrativeAction = Self(rawValue: MOSQ_ERR_ADMINISTRATIVE_ACTION.rawValue)

  /// `MOSQ_ERR_ALREADY_EXISTS`.
  public static let alreadyExists = Self(rawValue: MOSQ_ERR_ALREADY_EXISTS.rawValue)
}

/// Option values.
nonisolated public struct MosqOpt: RawRepresentable, Hashable, Sendable {
  /// The value in C.
  public let rawValue: mosq_opt_t.RawValue

  /// Creates it from the value in C.
  public init(rawValue: mosq_opt_t.RawValue) { self.rawValue = rawValue }

  /// `MOSQ_OPT_PROTOCOL_VERSION`.
  public static let protocolVersion = Self(rawValue: MOSQ_OPT_PROTOCOL_VERSION.rawValue)

  /// `MOSQ_OPT_SSL_CTX`.
  public static let sslCtx = Self(rawValue: MOSQ_OPT_SSL_CTX.rawValue)

  /// `MOSQ_OPT_SSL_CTX_WITH_DEFAULTS`.
  public static let sslCtxWithDefaults = Self(rawValue: MOSQ_OPT_SSL_CTX_WITH_DEFAULTS.rawValue)

  /// `MOSQ_OPT_RECEIVE_MAXIMUM`.
  public static let receiveMaximum = Self(rawValue: MOSQ_OPT_RECEIVE_MAXIMUM.rawValue)

  /// `MOSQ_OPT_SEND_MAXIMUM`.
  public static let sendMaximum = Self(rawValue: MOSQ_OPT_SEND_MAXIMUM.rawValue)

  /// `MOSQ_OPT_TLS_KEYFORM`.
  public static let tlsKeyform = Self(rawValue: MOSQ_OPT_TLS_KEYFORM.rawValue)

  /// `MOSQ_OPT_TLS_ENGINE`.
  public static let tlsEngine = Self(rawValue: MOSQ_OPT_TLS_ENGINE.rawValue)

  /// `MOSQ_OPT_TLS_ENGINE_KPASS_SHA1`.
  public static let tlsEngineKpassSha1 = Self(rawValue: MOSQ_OPT_TLS_ENGINE_KPASS_SHA1.rawValue)

  /// `MOSQ_OPT_TLS_OCSP_REQUIRED`.
  public static let tlsOcspRequired = Self(rawValue: MOSQ_OPT_TLS_OCSP_REQUIRED.rawValue)

  /// `MOSQ_OPT_TLS_ALPN`.
  public static let tlsAlpn = Self(rawValue: MOSQ_OPT_TLS_ALPN.rawValue)

  /// `MOSQ_OPT_TCP_NODELAY`.
  public static let tcpNodelay = Self(rawValue: MOSQ_OPT_TCP_NODELAY.rawValue)

  /// `MOSQ_OPT_BIND_ADDRESS`.
  public static let bindAddress = Self(rawValue: MOSQ_OPT_BIND_ADDRESS.rawValue)

  /// `MOSQ_OPT_TLS_USE_OS_CERTS`.
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
