// Everything here is inline. SwiftPM wants a source file.
#include "streams.h"
