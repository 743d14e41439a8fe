// plist/plist.h --pkg-config libplist-2.0 --thread caller
// plist_to_xml/plist_xml memory=text[length] frees=plist_to_xml_free
// plist_to_bin/plist_bin memory=out[length] frees=plist_to_bin_free
// plist_get_data_val/val memory=out[length] frees=free
import Plist

let settings = try Plist.newDict()
settings.dictSetItem("name", item: try Plist.newString("Headwater"))
settings.dictSetItem("size", item: try Plist.newUint(303))
settings.dictSetItem("seal", item: try Plist.newData([1, 2, 3].span))
let list = try Plist.newArray()
for word in ["one", "two"] { list.arrayAppendItem(try Plist.newString(word)) }
settings.dictSetItem("words", item: list)
print(settings.toXml().contains("<string>Headwater</string>"))

let read = try Plist.fromBin(settings.toBin().span)
print(read.dictGetSize, read.dictGetItem("size")?.uintVal ?? 0, read.dictGetItem("seal")?.dataVal() ?? [])
let words = read.dictGetItem("words")
print(words?.arrayGetItem(1)?.stringPtr.count ?? 0, read.dictGetItem("none") == nil)
