// ft2build.h freetype/freetype.h --pkg-config freetype2 --thread caller
import FreeType

let library = try Library.initFreeType()
let face = try library.newFace("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", faceIndex: 0)
print(face.familyName ?? "?", face.styleName ?? "?", face.unitsPerEm)
try face.setPixelSizes(0, pixelHeight: 16)
for character in "Ag".unicodeScalars {
  try face.loadGlyph(face.charIndex(UInt(character.value)), loadFlags: FreeTypeConstant.loadRender)
  if let metrics = face.glyph?.metrics { print(character, metrics.width >> 6, metrics.height >> 6) }
}
do { _ = try library.newFace("/etc/passwd", faceIndex: 0) } catch { print(error) }
