/* SPDX-License-Identifier: MIT */
/* so:FILE: a kernel in a shared object. It runs in the process that loads it, so it is checked
 * before use, but not fenced in; guest.h does that. */
#include "engines/internal.h"

#include "core/cpu.h"
#include "core/quote.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const struct pm_kernel *(*plugin_entry)(void);

/* dlopen() looks for names without a '/' in the system's folders: we mean the file. */
static void *load(const char *path)
{
    char *here = NULL;
    if (strchr(path, '/') != NULL)
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (asprintf(&here, "./%s", path) < 0)
        return NULL;
    void *library = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    free(here);
    return library;
}

static bool is_name(const char *name)
{
    return name != NULL && *name != '\0' &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* What is missing or out of range in a kernel of the right ABI; NULL if nothing is. */
static const char *find_fault(const struct pm_kernel *kernel)
{
    const uint32_t modes = PM_CAN_MODE(PM_MODE_COUNT) - 1;
    const uint32_t align = kernel->state_align;
    if (!is_name(kernel->name))
        return "its name is not of a-z, 0-9 and _";
    if (kernel->family != NULL && !is_name(kernel->family))
        return "its family is not of a-z, 0-9 and _";
    if (!is_name(kernel->lineage))
        return "its lineage is not of a-z, 0-9 and _";
    if (kernel->technique == NULL || kernel->summary == NULL || kernel->reference == NULL ||
        kernel->revision == NULL)
        return "technique, summary, reference or revision is missing";
    if (kernel->init == NULL || kernel->set_position == NULL || kernel->get_position == NULL ||
        kernel->legal_moves == NULL || kernel->play == NULL || kernel->perft == NULL)
        return "a function is missing";
    if ((kernel->capabilities & modes) == 0)
        return "it offers no mode";
    if (kernel->capabilities & PM_IS_REFERENCE)
        return "a plug-in can't be the reference";
    if (kernel->state_size == 0 || kernel->state_size > 1U << 24)
        return "its state size is not from 1 byte to 16 MiB";
    if (align == 0 || align > 64 || (align & (align - 1)) != 0)
        return "its state's alignment is not a power of two up to 64";
    return NULL;
}

static enum pm_status check(const struct pm_kernel *kernel, const char *path,
                            struct pm_error *error)
{
    char features[256];
    if (kernel == NULL)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "%s: pm_plugin_kernel() gives no kernel", path);
    if (kernel->abi != PM_KERNEL_ABI || kernel->struct_size != sizeof *kernel)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "%s was built for another core/kernel.h: its ABI is %u with a struct of %u "
                       "bytes, here it is %u with %zu bytes",
                       path, kernel->abi, kernel->struct_size, PM_KERNEL_ABI, sizeof *kernel);
    const char *fault = find_fault(kernel);
    if (fault != NULL)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "%s: %s", path, fault);
    const uint64_t missing = kernel->cpu_required & ~pm_cpu_features();
    if (missing != 0)
        return pm_fail(error, PM_ERROR_UNSUPPORTED, "%s can't run here: the CPU lacks %s", path,
                       pm_cpu_features_to_text(missing, features, sizeof features));
    const enum pm_status status = kernel->init();
    if (status != PM_OK)
        return pm_fail(error, status, "%s could not be initialized: %s", path,
                       pm_status_text(status));
    return PM_OK;
}

static enum pm_status find_entry(void *library, const char *path, plugin_entry *entry,
                                 struct pm_error *error)
{
    void *symbol = dlsym(library, "pm_plugin_kernel");
    if (symbol == NULL)
        return pm_fail(error, PM_ERROR_UNSUPPORTED,
                       "%s is no plug-in: it has no function pm_plugin_kernel()", path);
    memcpy(entry, &symbol, sizeof symbol); /* ISO C has no cast from object to function */
    return PM_OK;
}

enum pm_status pm_plugin_open(const char *path, void **library, const struct pm_kernel **kernel,
                              struct pm_error *error)
{
    plugin_entry entry = NULL;
    *library = load(path);
    if (*library == NULL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "can't load a plug-in: %s", dlerror());
    enum pm_status status = find_entry(*library, path, &entry, error);
    if (status == PM_OK) {
        *kernel = entry();
        status = check(*kernel, path, error);
    }
    if (status != PM_OK)
        pm_plugin_close(*library);
    return status;
}

void pm_plugin_close(void *library)
{
    if (library != NULL)
        dlclose(library);
}
