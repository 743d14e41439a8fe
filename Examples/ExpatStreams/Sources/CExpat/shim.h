#pragma once
#include <expat.h>

// A macro that reads through the parser, which Swift does not import.
static inline void *headwater_xml_user_data(XML_Parser parser) { return XML_GetUserData(parser); }
