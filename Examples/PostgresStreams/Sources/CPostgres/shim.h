#pragma once
#include <libpq-fe.h>
#include <libpq-events.h>
