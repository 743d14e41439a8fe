#pragma once

/// Sets the hooks of the concurrency runtime, unless another library has set them.
void headwater_install_hooks(void);
