// The products that a program can link.

import DelegateMacros
import FoundationSupport
import Headwater
