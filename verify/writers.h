/* SPDX-License-Identifier: MIT */
/* One function a format: false if it could not be written. */
#ifndef PM_VERIFY_WRITERS_H
#define PM_VERIFY_WRITERS_H

#include "verify/report.h"

bool pm_verify_write_json(const struct pm_verify_report *report, FILE *file);
bool pm_verify_write_tap(const struct pm_verify_report *report, FILE *file);
bool pm_verify_write_junit(const struct pm_verify_report *report, FILE *file);

#endif
