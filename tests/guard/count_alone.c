/* SPDX-License-Identifier: MIT */
/* A program that counts, and links what counts alone: perft, the kernels, core. */
#include "core/fen.h"
#include "perft/choose.h"
#include "perft/driver.h"

#include <stdio.h>
#include <stdlib.h>

static enum pm_status count(struct pm_position *position, struct pm_job_result *result,
                            struct pm_error *error)
{
    const struct pm_driver_config config = {.pin = {.policy = PM_PIN_NONE}, .threads = 1};
    const struct pm_wish wish = {
        .mode = PM_MODE_AUTO, .position = position, .depth = 4, .threads = 1};
    struct pm_driver *driver = NULL;
    struct pm_choice choice;
    enum pm_status status = pm_choose(&wish, &choice, error);
    if (status == PM_OK)
        status = pm_driver_open(&config, &driver, error);
    if (status == PM_OK) {
        const struct pm_job job = {
            .kernel = choice.kernel, .mode = choice.mode, .position = position, .depth = 4};
        status = pm_driver_run(driver, &job, result, error);
    }
    pm_driver_close(driver);
    return status;
}

int main(void)
{
    struct pm_job_result *result = calloc(1, sizeof *result);
    struct pm_position position;
    struct pm_error error = {0};
    char text[PM_COUNT_TEXT_SIZE];
    enum pm_status status = result != NULL ? PM_OK : PM_ERROR_MEMORY;
    if (status == PM_OK)
        status = pm_fen_read_named("startpos", 0, &position, NULL, &error);
    if (status == PM_OK)
        status = count(&position, result, &error);
    if (status == PM_OK)
        puts(pm_count_to_text(result->nodes, text));
    else
        fprintf(stderr, "count_alone: %s\n", error.text);
    free(result);
    return status == PM_OK ? 0 : 1;
}
