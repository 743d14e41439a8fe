// geos_c.h --link geos_c
// * skip
// GEOS_init_r name=start
// GEOSWKTReader_create_r
// GEOSWKTReader_read_r owns=yes
// GEOSWKTWriter_create_r
// GEOSWKTWriter_write_r
// GEOSWKTWriter_write_r/result frees=GEOSFree_r
// GEOSisEmpty_r
// GEOSBuffer_r owns=yes
// GEOSArea_r
import Geos

let context = try ContextHandle.start()
let reader = try context.wktReaderCreateR()
let writer = try context.wktWriterCreateR()
let point = try context.wktReaderReadR(reader, wkt: "POINT (1 2)")
print(context.wktWriterWriteR(writer, g: point) ?? "none", context.isEmptyR(point))
let circle = try context.bufferR(point, width: 2, quadsegs: 8)
print(try context.areaR(circle) > 12)
do { _ = try context.wktReaderReadR(reader, wkt: "POINT (") } catch { print(error) }
circle.destroy()
