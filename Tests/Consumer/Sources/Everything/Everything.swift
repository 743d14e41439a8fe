// The products that a program may link.

import DelegateMacros
import FoundationSupport
import Headwater
