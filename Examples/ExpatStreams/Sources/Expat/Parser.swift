// Written by wrap-library from expat.h.
// Change the choices beside this file and run it again; what is edited here is lost.

public import CExpat
public import Callbacks

/// A `struct XML_ParserStruct`, which it frees.
///
/// If the program owns it, `XML_ParserFree` frees it when nothing refers to this object any more.
/// It belongs to one isolation domain, and keeps what it is a part of.
/// Whoever closes an object that it was made with closes it first.
nonisolated public final class Parser: Usable {
  private let storedPointer: OpaquePointer
  private let retained: Any?
  private var isOwned: Bool
  private var isClosed = false
  private var dependents = Dependents()
  private let slots: ParserSlots
  private let callback: ForeignCallback<ParserSlots?>

  /// The object of the library, for functions that have no Swift function.
  public var pointer: OpaquePointer {
    precondition(
      !isClosed,
      "The Parser is closed, or what it was made with. Use it before free(). If C allows this, choose XML_ExternalEntityParserCreate outlives=yes."
    )
    return storedPointer
  }

  var isUsable: Bool { !isClosed }

  var whole: any Usable { self }

  /// The context that all callbacks of the object share.
  public var context: UnsafeMutableRawPointer { callback.context }

  /// Wraps an object of the library.
  ///
  /// - Parameters:
  ///   - pointer: The object.
  ///   - owner: What has to exist as long as the object does.
  ///   - isOwned: True if this object frees it.
  public convenience init(_ pointer: OpaquePointer, owner: Any? = nil, isOwned: Bool) {
    let slots = ParserSlots()
    self.init(pointer, owner: owner, isOwned: isOwned, slots, ForeignCallback<ParserSlots?> { slots })
  }

  private init(
    _ pointer: OpaquePointer, owner: Any?, isOwned: Bool, _ slots: ParserSlots,
    _ callback: ForeignCallback<ParserSlots?>
  ) {
    storedPointer = pointer
    retained = owner
    self.isOwned = isOwned
    self.slots = slots
    self.callback = callback
  }

  /// Gives the object its context, once.
  private lazy var setsContext: Void = {
    XML_SetUserData(pointer, callback.context)
    XML_SetExternalEntityRefHandlerArg(pointer, callback.context)
  }()

  deinit {
    if isOwned { XML_ParserFree(storedPointer) }
  }

  /// Frees the object now. Later uses are a programming error.
  ///
  /// C: `XML_ParserFree`.
  public func free() {
    if !isOwned || isClosed { return }
    endDependents()
    isOwned = false
    isClosed = true
    XML_ParserFree(storedPointer)
  }

  func end() {
    if !isOwned { return }
    free()
  }

  func note(_ dependent: any Usable) { dependents.add(dependent) }

  private func endDependents() {
    while let dependent = dependents.removeLast() { dependent.end() }
  }

  private var isNotClosed: Bool { !isClosed }

  /// Sets the C functions while a handler is there.
  private func installSetElementDeclHandler() {
    _ = setsContext
    if slots.onElementDeclaration.context == nil {
      XML_SetElementDeclHandler(pointer, nil)
    } else {
      XML_SetElementDeclHandler(
        pointer,
        { @Sendable context, name, model in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onElementDeclaration.context
          else { return }
          OnElementDeclarationCallback.call(context, name.map { String(cString: $0) }, model)
        })
    }
  }

  private typealias OnElementDeclarationCallback = RepeatingCallback<String?, UnsafeMutablePointer<XML_Content>?, Void>

  /// This is called for an element declaration.
  ///
  /// C: `XML_SetElementDeclHandler`.
  public func onElementDeclaration(
    _ body: @escaping (_ name: String?, _ model: UnsafeMutablePointer<XML_Content>?) -> Void
  ) -> any Disposable {
    let callback = OnElementDeclarationCallback(body)
    slots.onElementDeclaration.claim(callback.context)
    installSetElementDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onElementDeclaration.release(callback.context)
      installSetElementDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetAttlistDeclHandler() {
    _ = setsContext
    if slots.onAttributeDeclaration.context == nil {
      XML_SetAttlistDeclHandler(pointer, nil)
    } else {
      XML_SetAttlistDeclHandler(
        pointer,
        { @Sendable context, element, name, type, value, isRequired in
          guard
            let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onAttributeDeclaration.context
          else { return }
          OnAttributeDeclarationCallback.call(
            context, element.map { String(cString: $0) }, name.map { String(cString: $0) },
            type.map { String(cString: $0) }, value.map { String(cString: $0) }, isRequired)
        })
    }
  }

  private typealias OnAttributeDeclarationCallback = RepeatingCallback<String?, String?, String?, String?, Int32, Void>

  /// The Attlist declaration handler is called for *each* attribute.
  ///
  /// C: `XML_SetAttlistDeclHandler`.
  public func onAttributeDeclaration(
    _ body:
      @escaping (_ element: String?, _ name: String?, _ type: String?, _ value: String?, _ isRequired: Int32) -> Void
  ) -> any Disposable {
    let callback = OnAttributeDeclarationCallback(body)
    slots.onAttributeDeclaration.claim(callback.context)
    installSetAttlistDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onAttributeDeclaration.release(callback.context)
      installSetAttlistDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetXmlDeclHandler() {
    _ = setsContext
    if slots.onDeclaration.context == nil {
      XML_SetXmlDeclHandler(pointer, nil)
    } else {
      XML_SetXmlDeclHandler(
        pointer,
        { @Sendable context, version, encoding, standalone in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onDeclaration.context else {
            return
          }
          OnDeclarationCallback.call(
            context, version.map { String(cString: $0) }, encoding.map { String(cString: $0) }, standalone)
        })
    }
  }

  private typealias OnDeclarationCallback = RepeatingCallback<String?, String?, Int32, Void>

  /// The XML declaration handler is called for *both* XML declarations and text declarations.
  ///
  /// C: `XML_SetXmlDeclHandler`.
  public func onDeclaration(_ body: @escaping (_ version: String?, _ encoding: String?, _ standalone: Int32) -> Void)
    -> any Disposable
  {
    let callback = OnDeclarationCallback(body)
    slots.onDeclaration.claim(callback.context)
    installSetXmlDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onDeclaration.release(callback.context)
      installSetXmlDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetEntityDeclHandler() {
    _ = setsContext
    if slots.onEntityDeclaration.context == nil {
      XML_SetEntityDeclHandler(pointer, nil)
    } else {
      XML_SetEntityDeclHandler(
        pointer,
        {
          @Sendable context, entityName, isParameterEntity, value, valueLength, base, systemId, publicId, notationName
          in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onEntityDeclaration.context
          else { return }
          OnEntityDeclarationCallback.call(
            context, entityName.map { String(cString: $0) }, isParameterEntity,
            value.map { String(decoding: lentBytes($0, valueLength), as: UTF8.self) }, base.map { String(cString: $0) },
            systemId.map { String(cString: $0) }, publicId.map { String(cString: $0) },
            notationName.map { String(cString: $0) })
        })
    }
  }

  private typealias OnEntityDeclarationCallback = RepeatingCallback<
    String?, Int32, String?, String?, String?, String?, String?, Void
  >

  /// This is called for entity declarations.
  ///
  /// C: `XML_SetEntityDeclHandler`.
  public func onEntityDeclaration(
    _ body:
      @escaping (
        _ entityName: String?, _ isParameterEntity: Int32, _ value: String?, _ base: String?, _ systemId: String?,
        _ publicId: String?, _ notationName: String?
      ) -> Void
  ) -> any Disposable {
    let callback = OnEntityDeclarationCallback(body)
    slots.onEntityDeclaration.claim(callback.context)
    installSetEntityDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onEntityDeclaration.release(callback.context)
      installSetEntityDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetStartElementHandler() {
    _ = setsContext
    if slots.onStartElement.context == nil {
      XML_SetStartElementHandler(pointer, nil)
    } else {
      XML_SetStartElementHandler(
        pointer,
        { @Sendable context, name, attributes in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onStartElement.context else {
            return
          }
          OnStartElementCallback.call(context, name.map { String(cString: $0) }, attributes)
        })
    }
  }

  private typealias OnStartElementCallback = RepeatingCallback<
    String?, UnsafeMutablePointer<UnsafePointer<CChar>?>?, Void
  >

  /// Atts is array of name/value pairs, terminated by 0; names and values are 0 terminated.
  ///
  /// C: `XML_SetStartElementHandler`.
  public func onStartElement(
    _ body: @escaping (_ name: String?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Void
  ) -> any Disposable {
    let callback = OnStartElementCallback(body)
    slots.onStartElement.claim(callback.context)
    installSetStartElementHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onStartElement.release(callback.context)
      installSetStartElementHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetEndElementHandler() {
    _ = setsContext
    if slots.onEndElement.context == nil {
      XML_SetEndElementHandler(pointer, nil)
    } else {
      XML_SetEndElementHandler(
        pointer,
        { @Sendable context, name in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onEndElement.context else {
            return
          }
          OnEndElementCallback.call(context, name.map { String(cString: $0) })
        })
    }
  }

  private typealias OnEndElementCallback = RepeatingCallback<String?, Void>

  /// C calls this through `XML_SetEndElementHandler`.
  ///
  /// C: `XML_SetEndElementHandler`.
  public func onEndElement(_ body: @escaping (_ name: String?) -> Void) -> any Disposable {
    let callback = OnEndElementCallback(body)
    slots.onEndElement.claim(callback.context)
    installSetEndElementHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onEndElement.release(callback.context)
      installSetEndElementHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetCharacterDataHandler() {
    _ = setsContext
    if slots.onCharacters.context == nil {
      XML_SetCharacterDataHandler(pointer, nil)
    } else {
      XML_SetCharacterDataHandler(
        pointer,
        { @Sendable context, text, len in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onCharacters.context else {
            return
          }
          OnCharactersCallback.call(context, String(decoding: lentBytes(text, len), as: UTF8.self))
        })
    }
  }

  private typealias OnCharactersCallback = RepeatingCallback<String, Void>

  /// S is not 0 terminated.
  ///
  /// C: `XML_SetCharacterDataHandler`.
  public func onCharacters(_ body: @escaping (_ text: String) -> Void) -> any Disposable {
    let callback = OnCharactersCallback(body)
    slots.onCharacters.claim(callback.context)
    installSetCharacterDataHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onCharacters.release(callback.context)
      installSetCharacterDataHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetProcessingInstructionHandler() {
    _ = setsContext
    if slots.onProcessingInstruction.context == nil {
      XML_SetProcessingInstructionHandler(pointer, nil)
    } else {
      XML_SetProcessingInstructionHandler(
        pointer,
        { @Sendable context, target, data in
          guard
            let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onProcessingInstruction.context
          else { return }
          OnProcessingInstructionCallback.call(
            context, target.map { String(cString: $0) }, data.map { String(cString: $0) })
        })
    }
  }

  private typealias OnProcessingInstructionCallback = RepeatingCallback<String?, String?, Void>

  /// Target and data are 0 terminated.
  ///
  /// C: `XML_SetProcessingInstructionHandler`.
  public func onProcessingInstruction(_ body: @escaping (_ target: String?, _ data: String?) -> Void) -> any Disposable
  {
    let callback = OnProcessingInstructionCallback(body)
    slots.onProcessingInstruction.claim(callback.context)
    installSetProcessingInstructionHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onProcessingInstruction.release(callback.context)
      installSetProcessingInstructionHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetCommentHandler() {
    _ = setsContext
    if slots.onComment.context == nil {
      XML_SetCommentHandler(pointer, nil)
    } else {
      XML_SetCommentHandler(
        pointer,
        { @Sendable context, text in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onComment.context else {
            return
          }
          OnCommentCallback.call(context, text.map { String(cString: $0) })
        })
    }
  }

  private typealias OnCommentCallback = RepeatingCallback<String?, Void>

  /// Data is 0 terminated.
  ///
  /// C: `XML_SetCommentHandler`.
  public func onComment(_ body: @escaping (_ text: String?) -> Void) -> any Disposable {
    let callback = OnCommentCallback(body)
    slots.onComment.claim(callback.context)
    installSetCommentHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onComment.release(callback.context)
      installSetCommentHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetStartCdataSectionHandler() {
    _ = setsContext
    if slots.onStartCDATA.context == nil {
      XML_SetStartCdataSectionHandler(pointer, nil)
    } else {
      XML_SetStartCdataSectionHandler(
        pointer,
        { @Sendable context in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onStartCDATA.context else {
            return
          }
          OnStartCdataCallback.call(context)
        })
    }
  }

  private typealias OnStartCdataCallback = RepeatingCallback<Void>

  /// C calls this through `XML_SetStartCdataSectionHandler`.
  ///
  /// C: `XML_SetStartCdataSectionHandler`.
  public func onStartCDATA(_ body: @escaping () -> Void) -> any Disposable {
    let callback = OnStartCdataCallback(body)
    slots.onStartCDATA.claim(callback.context)
    installSetStartCdataSectionHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onStartCDATA.release(callback.context)
      installSetStartCdataSectionHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetEndCdataSectionHandler() {
    _ = setsContext
    if slots.onEndCDATA.context == nil {
      XML_SetEndCdataSectionHandler(pointer, nil)
    } else {
      XML_SetEndCdataSectionHandler(
        pointer,
        { @Sendable context in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onEndCDATA.context else {
            return
          }
          OnEndCdataCallback.call(context)
        })
    }
  }

  private typealias OnEndCdataCallback = RepeatingCallback<Void>

  /// C calls this through `XML_SetEndCdataSectionHandler`.
  ///
  /// C: `XML_SetEndCdataSectionHandler`.
  public func onEndCDATA(_ body: @escaping () -> Void) -> any Disposable {
    let callback = OnEndCdataCallback(body)
    slots.onEndCDATA.claim(callback.context)
    installSetEndCdataSectionHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onEndCDATA.release(callback.context)
      installSetEndCdataSectionHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetDefaultHandler() {
    _ = setsContext
    if slots.onUnexpanded.context == nil {
      XML_SetDefaultHandler(pointer, nil)
    } else {
      XML_SetDefaultHandler(
        pointer,
        { @Sendable context, text, len in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onUnexpanded.context else {
            return
          }
          OnUnexpandedCallback.call(context, String(decoding: lentBytes(text, len), as: UTF8.self))
        })
    }
  }

  private typealias OnUnexpandedCallback = RepeatingCallback<String, Void>

  /// This sets the default handler and also inhibits expansion of internal entities.
  ///
  /// C: `XML_SetDefaultHandler`.
  public func onUnexpanded(_ body: @escaping (_ text: String) -> Void) -> any Disposable {
    let callback = OnUnexpandedCallback(body)
    slots.onUnexpanded.claim(callback.context)
    installSetDefaultHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onUnexpanded.release(callback.context)
      installSetDefaultHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetDefaultHandlerExpand() {
    _ = setsContext
    if slots.onOther.context == nil {
      XML_SetDefaultHandlerExpand(pointer, nil)
    } else {
      XML_SetDefaultHandlerExpand(
        pointer,
        { @Sendable context, text, len in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onOther.context else {
            return
          }
          OnOtherCallback.call(context, String(decoding: lentBytes(text, len), as: UTF8.self))
        })
    }
  }

  private typealias OnOtherCallback = RepeatingCallback<String, Void>

  /// This sets the default handler but does not inhibit expansion of internal entities.
  ///
  /// C: `XML_SetDefaultHandlerExpand`.
  public func onOther(_ body: @escaping (_ text: String) -> Void) -> any Disposable {
    let callback = OnOtherCallback(body)
    slots.onOther.claim(callback.context)
    installSetDefaultHandlerExpand()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onOther.release(callback.context)
      installSetDefaultHandlerExpand()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetStartDoctypeDeclHandler() {
    _ = setsContext
    if slots.onStartDoctype.context == nil {
      XML_SetStartDoctypeDeclHandler(pointer, nil)
    } else {
      XML_SetStartDoctypeDeclHandler(
        pointer,
        { @Sendable context, name, systemID, publicID, hasInternalSubset in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onStartDoctype.context else {
            return
          }
          OnStartDoctypeCallback.call(
            context, name.map { String(cString: $0) }, systemID.map { String(cString: $0) },
            publicID.map { String(cString: $0) }, hasInternalSubset)
        })
    }
  }

  private typealias OnStartDoctypeCallback = RepeatingCallback<String?, String?, String?, Int32, Void>

  /// This is called for the start of the DOCTYPE declaration, before any DTD or internal subset is parsed.
  ///
  /// C: `XML_SetStartDoctypeDeclHandler`.
  public func onStartDoctype(
    _ body: @escaping (_ name: String?, _ systemID: String?, _ publicID: String?, _ hasInternalSubset: Int32) -> Void
  ) -> any Disposable {
    let callback = OnStartDoctypeCallback(body)
    slots.onStartDoctype.claim(callback.context)
    installSetStartDoctypeDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onStartDoctype.release(callback.context)
      installSetStartDoctypeDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetEndDoctypeDeclHandler() {
    _ = setsContext
    if slots.onEndDoctype.context == nil {
      XML_SetEndDoctypeDeclHandler(pointer, nil)
    } else {
      XML_SetEndDoctypeDeclHandler(
        pointer,
        { @Sendable context in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onEndDoctype.context else {
            return
          }
          OnEndDoctypeCallback.call(context)
        })
    }
  }

  private typealias OnEndDoctypeCallback = RepeatingCallback<Void>

  /// C calls this through `XML_SetEndDoctypeDeclHandler`.
  ///
  /// C: `XML_SetEndDoctypeDeclHandler`.
  public func onEndDoctype(_ body: @escaping () -> Void) -> any Disposable {
    let callback = OnEndDoctypeCallback(body)
    slots.onEndDoctype.claim(callback.context)
    installSetEndDoctypeDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onEndDoctype.release(callback.context)
      installSetEndDoctypeDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetUnparsedEntityDeclHandler() {
    _ = setsContext
    if slots.onUnparsedEntity.context == nil {
      XML_SetUnparsedEntityDeclHandler(pointer, nil)
    } else {
      XML_SetUnparsedEntityDeclHandler(
        pointer,
        { @Sendable context, entityName, base, systemId, publicId, notationName in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onUnparsedEntity.context
          else { return }
          OnUnparsedEntityCallback.call(
            context, entityName.map { String(cString: $0) }, base.map { String(cString: $0) },
            systemId.map { String(cString: $0) }, publicId.map { String(cString: $0) },
            notationName.map { String(cString: $0) })
        })
    }
  }

  private typealias OnUnparsedEntityCallback = RepeatingCallback<String?, String?, String?, String?, String?, Void>

  /// OBSOLETE -- OBSOLETE -- OBSOLETE This handler has been superseded by the EntityDeclHandler above.
  ///
  /// C: `XML_SetUnparsedEntityDeclHandler`.
  public func onUnparsedEntity(
    _ body:
      @escaping (
        _ entityName: String?, _ base: String?, _ systemId: String?, _ publicId: String?, _ notationName: String?
      ) -> Void
  ) -> any Disposable {
    let callback = OnUnparsedEntityCallback(body)
    slots.onUnparsedEntity.claim(callback.context)
    installSetUnparsedEntityDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onUnparsedEntity.release(callback.context)
      installSetUnparsedEntityDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetNotationDeclHandler() {
    _ = setsContext
    if slots.onNotation.context == nil {
      XML_SetNotationDeclHandler(pointer, nil)
    } else {
      XML_SetNotationDeclHandler(
        pointer,
        { @Sendable context, notationName, base, systemId, publicId in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onNotation.context else {
            return
          }
          OnNotationCallback.call(
            context, notationName.map { String(cString: $0) }, base.map { String(cString: $0) },
            systemId.map { String(cString: $0) }, publicId.map { String(cString: $0) })
        })
    }
  }

  private typealias OnNotationCallback = RepeatingCallback<String?, String?, String?, String?, Void>

  /// This is called for a declaration of notation.
  ///
  /// C: `XML_SetNotationDeclHandler`.
  public func onNotation(
    _ body: @escaping (_ notationName: String?, _ base: String?, _ systemId: String?, _ publicId: String?) -> Void
  ) -> any Disposable {
    let callback = OnNotationCallback(body)
    slots.onNotation.claim(callback.context)
    installSetNotationDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onNotation.release(callback.context)
      installSetNotationDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetStartNamespaceDeclHandler() {
    _ = setsContext
    if slots.onStartNamespace.context == nil {
      XML_SetStartNamespaceDeclHandler(pointer, nil)
    } else {
      XML_SetStartNamespaceDeclHandler(
        pointer,
        { @Sendable context, prefix, uri in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onStartNamespace.context
          else { return }
          OnStartNamespaceCallback.call(context, prefix.map { String(cString: $0) }, uri.map { String(cString: $0) })
        })
    }
  }

  private typealias OnStartNamespaceCallback = RepeatingCallback<String?, String?, Void>

  /// When namespace processing is enabled, these are called once for each namespace declaration.
  ///
  /// C: `XML_SetStartNamespaceDeclHandler`.
  public func onStartNamespace(_ body: @escaping (_ prefix: String?, _ uri: String?) -> Void) -> any Disposable {
    let callback = OnStartNamespaceCallback(body)
    slots.onStartNamespace.claim(callback.context)
    installSetStartNamespaceDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onStartNamespace.release(callback.context)
      installSetStartNamespaceDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetEndNamespaceDeclHandler() {
    _ = setsContext
    if slots.onEndNamespace.context == nil {
      XML_SetEndNamespaceDeclHandler(pointer, nil)
    } else {
      XML_SetEndNamespaceDeclHandler(
        pointer,
        { @Sendable context, prefix in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onEndNamespace.context else {
            return
          }
          OnEndNamespaceCallback.call(context, prefix.map { String(cString: $0) })
        })
    }
  }

  private typealias OnEndNamespaceCallback = RepeatingCallback<String?, Void>

  /// C calls this through `XML_SetEndNamespaceDeclHandler`.
  ///
  /// C: `XML_SetEndNamespaceDeclHandler`.
  public func onEndNamespace(_ body: @escaping (_ prefix: String?) -> Void) -> any Disposable {
    let callback = OnEndNamespaceCallback(body)
    slots.onEndNamespace.claim(callback.context)
    installSetEndNamespaceDeclHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onEndNamespace.release(callback.context)
      installSetEndNamespaceDeclHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetNotStandaloneHandler() {
    _ = setsContext
    if slots.onNotStandalone.context == nil {
      XML_SetNotStandaloneHandler(pointer, nil)
    } else {
      XML_SetNotStandaloneHandler(
        pointer,
        { @Sendable context in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onNotStandalone.context
          else { return 0 }
          return OnNotStandaloneCallback.call(context, otherwise: 0)
        })
    }
  }

  private typealias OnNotStandaloneCallback = RepeatingCallback<Int32>

  /// C calls this through `XML_SetNotStandaloneHandler`.
  ///
  /// C: `XML_SetNotStandaloneHandler`.
  public func onNotStandalone(_ answer: @escaping () -> Int32) -> any Disposable {
    let callback = OnNotStandaloneCallback(answer)
    slots.onNotStandalone.claim(callback.context)
    installSetNotStandaloneHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onNotStandalone.release(callback.context)
      installSetNotStandaloneHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetExternalEntityRefHandler() {
    _ = setsContext
    if slots.onExternalEntity.context == nil {
      XML_SetExternalEntityRefHandler(pointer, nil)
    } else {
      XML_SetExternalEntityRefHandler(
        pointer,
        { @Sendable context, names, base, systemID, publicID in
          guard
            let context = ForeignCallback<ParserSlots?>.call(UnsafeMutableRawPointer(context), otherwise: nil)?
              .onExternalEntity.context
          else { return 0 }
          return OnExternalEntityCallback.call(
            context, names.map { String(cString: $0) }, base.map { String(cString: $0) },
            systemID.map { String(cString: $0) }, publicID.map { String(cString: $0) }, otherwise: 0)
        })
    }
  }

  private typealias OnExternalEntityCallback = RepeatingCallback<String?, String?, String?, String?, Int32>

  /// This is called for a reference to an external parsed general entity.
  ///
  /// C: `XML_SetExternalEntityRefHandler`.
  public func onExternalEntity(
    _ answer: @escaping (_ names: String?, _ base: String?, _ systemID: String?, _ publicID: String?) -> Int32
  ) -> any Disposable {
    let callback = OnExternalEntityCallback(answer)
    slots.onExternalEntity.claim(callback.context)
    installSetExternalEntityRefHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onExternalEntity.release(callback.context)
      installSetExternalEntityRefHandler()
      callback.disarm()
    }
  }

  /// Sets the C functions while a handler is there.
  private func installSetSkippedEntityHandler() {
    _ = setsContext
    if slots.onSkippedEntity.context == nil {
      XML_SetSkippedEntityHandler(pointer, nil)
    } else {
      XML_SetSkippedEntityHandler(
        pointer,
        { @Sendable context, name, isParameter in
          guard let context = ForeignCallback<ParserSlots?>.call(context, otherwise: nil)?.onSkippedEntity.context
          else { return }
          OnSkippedEntityCallback.call(context, name.map { String(cString: $0) }, isParameter)
        })
    }
  }

  private typealias OnSkippedEntityCallback = RepeatingCallback<String?, Int32, Void>

  /// C calls this through `XML_SetSkippedEntityHandler`.
  ///
  /// C: `XML_SetSkippedEntityHandler`.
  public func onSkippedEntity(_ body: @escaping (_ name: String?, _ isParameter: Int32) -> Void) -> any Disposable {
    let callback = OnSkippedEntityCallback(body)
    slots.onSkippedEntity.claim(callback.context)
    installSetSkippedEntityHandler()
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      slots.onSkippedEntity.release(callback.context)
      installSetSkippedEntityHandler()
      callback.disarm()
    }
  }

  /// The callback that `XML_SetUnknownEncodingHandler` has now.
  private let onUnknownEncodingPlace = CallbackPlace()

  private typealias OnUnknownEncodingCallback = RepeatingCallback<String?, UnsafeMutablePointer<XML_Encoding>?, Int32>

  /// This is called for an encoding that is unknown to the parser.
  ///
  /// C: `XML_SetUnknownEncodingHandler`.
  public func onUnknownEncoding(
    _ answer: @escaping (_ name: String?, _ info: UnsafeMutablePointer<XML_Encoding>?) -> Int32
  ) -> any Disposable {
    let callback = OnUnknownEncodingCallback(answer)
    XML_SetUnknownEncodingHandler(
      pointer,
      { context, name, info in
        OnUnknownEncodingCallback.call(context, name.map { String(cString: $0) }, info, otherwise: 0)
      }, callback.context)
    onUnknownEncodingPlace.claim(callback.context)
    return BlockDisposable { [self] in
      if callback.isEnded { return }
      guard isNotClosed else {
        callback.disarm()
        return
      }
      if onUnknownEncodingPlace.release(callback.context) { XML_SetUnknownEncodingHandler(pointer, nil, nil) }
      callback.disarm()
    }
  }

  /// Parses some input.
  ///
  /// C: `XML_Parse`.
  public func parse(_ s: Span<UInt8>, isFinal: Int32) -> Status {
    let result = s.withUnsafeBytes { s in
      XML_Parse(pointer, s.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(s.count), isFinal)
    }
    return Status(rawValue: result.rawValue)
  }

  /// Stops parsing, causing XML_Parse() or XML_ParseBuffer() to return.
  ///
  /// C: `XML_StopParser`.
  public func stopParser(_ resumable: UInt8) throws(ExpatFailure) {
    let result = XML_StopParser(pointer, resumable)
    if result.rawValue == 0 {
      throw ExpatFailure(
        function: "XML_StopParser", code: Int(CExpat.XML_GetErrorCode(pointer).rawValue),
        message: CExpat.XML_ErrorString(CExpat.XML_GetErrorCode(pointer)).map { String(cString: $0) })
    }
  }

  /// Resumes parsing after it has been suspended with XML_StopParser().
  ///
  /// C: `XML_ResumeParser`.
  public func resumeParser() -> Status {
    let result = XML_ResumeParser(pointer)
    return Status(rawValue: result.rawValue)
  }

  /// C: `XML_GetParsingStatus`.
  public func parsingStatus(_ status: inout ParsingStatus) {
    XML_GetParsingStatus(pointer, &status)
  }

  /// C: `XML_ExternalEntityParserCreate`.
  public func externalEntityParserCreate(_ context: String?, encoding: String?) throws(ExpatFailure) -> Parser {
    let result = XML_ExternalEntityParserCreate(pointer, context, encoding)
    guard let result else {
      throw ExpatFailure(
        function: "XML_ExternalEntityParserCreate", code: Int(CExpat.XML_GetErrorCode(pointer).rawValue),
        message: CExpat.XML_ErrorString(CExpat.XML_GetErrorCode(pointer)).map { String(cString: $0) })
    }
    return Parser(result, owner: self, isOwned: true).depending(on: self)
  }

  /// Controls parsing of parameter entities (including the external DTD subset).
  ///
  /// C: `XML_SetParamEntityParsing`.
  @discardableResult
  public func setParamEntityParsing(_ parsing: ParamEntityParsing) throws(ExpatFailure) -> Int32 {
    let result = XML_SetParamEntityParsing(pointer, XML_ParamEntityParsing(rawValue: parsing.rawValue))
    if result < 0 {
      throw ExpatFailure(
        function: "XML_SetParamEntityParsing", code: Int(CExpat.XML_GetErrorCode(pointer).rawValue),
        message: CExpat.XML_ErrorString(CExpat.XML_GetErrorCode(pointer)).map { String(cString: $0) })
    }
    return result
  }

  /// C: `XML_GetErrorCode`.
  public var errorCode: XmlError {
    let result = XML_GetErrorCode(pointer)
    return XmlError(rawValue: result.rawValue)
  }

  /// These functions return information about the current parse location.
  ///
  /// C: `XML_GetCurrentLineNumber`.
  public var currentLineNumber: UInt {
    let result = XML_GetCurrentLineNumber(pointer)
    return result
  }

  /// These functions return information about the current parse location.
  ///
  /// C: `XML_GetCurrentColumnNumber`.
  public var currentColumnNumber: UInt {
    let result = XML_GetCurrentColumnNumber(pointer)
    return result
  }
}

/// The handlers that are there.
nonisolated private final class ParserSlots: Sendable {
  let onElementDeclaration = CallbackPlace()
  let onAttributeDeclaration = CallbackPlace()
  let onDeclaration = CallbackPlace()
  let onEntityDeclaration = CallbackPlace()
  let onStartElement = CallbackPlace()
  let onEndElement = CallbackPlace()
  let onCharacters = CallbackPlace()
  let onProcessingInstruction = CallbackPlace()
  let onComment = CallbackPlace()
  let onStartCDATA = CallbackPlace()
  let onEndCDATA = CallbackPlace()
  let onUnexpanded = CallbackPlace()
  let onOther = CallbackPlace()
  let onStartDoctype = CallbackPlace()
  let onEndDoctype = CallbackPlace()
  let onUnparsedEntity = CallbackPlace()
  let onNotation = CallbackPlace()
  let onStartNamespace = CallbackPlace()
  let onEndNamespace = CallbackPlace()
  let onNotStandalone = CallbackPlace()
  let onExternalEntity = CallbackPlace()
  let onSkippedEntity = CallbackPlace()
}
