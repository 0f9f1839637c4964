// host PLUGIN local|global|deepbind COMMAND...: a program without a BLAS that loads a plugin that
// has one, and carries out the commands. A command that is not its own calls the plugin's function
// plugin_COMMAND. A path loads another plugin, which gets the commands after it. After an
// exclamation mark, the command's result has to be wrong. Status 0: all results were as expected.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* plugin;

static int call(const char* name) {
    int (*function)(void) = NULL;
    *(void**)&function = dlsym(plugin, name);
    return function && function();
}

// The plugin's BLAS by the function's address, as in programs that choose a BLAS themselves.
static int call_by_address(void) {
    float (*sasum)(const int*, const float*, const int*) = NULL;
    *(void**)&sasum = dlsym(plugin, "sasum_");
    const float x[] = {1, -2, 3};
    const int n = 3, step = 1;
    return sasum && sasum(&n, x, &step) == 6;
}

static int call_in_child(void) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(call("plugin_product") ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// The preload library's report of the calls since the last one (common/report.h).
static int report(void) {
    void (*write_report)(void) = NULL;
    *(void**)&write_report = dlsym(RTLD_DEFAULT, "myblas_preload_report");
    if (write_report)
        write_report();
    return write_report != NULL;
}

static int is_mapped(const char* text) {
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int found = 0;
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, text) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

static int obey(const char* command, const char* file, int flags) {
    if (strcmp(command, "address") == 0)
        return call_by_address();
    if (strcmp(command, "fork") == 0)
        return call_in_child();
    if (strcmp(command, "report") == 0)
        return report();
    if (strcmp(command, "elsewhere") == 0)
        return chdir("/") == 0;
    if (strcmp(command, "unmapped") == 0)
        return !is_mapped("libmyblas.so") && !is_mapped("libcuda.so");
    if (strcmp(command, "reload") == 0)
        return dlclose(plugin) == 0 && (plugin = dlopen(file, flags)) != NULL;
    if (strchr(command, '/'))
        return (plugin = dlopen(command, flags)) != NULL;
    if (command[0] == '!')
        return !obey(command + 1, file, flags);
    char function[64];
    snprintf(function, sizeof function, "plugin_%s", command);
    return call(function);
}

int main(int argc, char** argv) {
    if (argc < 3)
        return 2;
    const char* mode = argv[2];
    const int flags = RTLD_LAZY | (strcmp(mode, "global") == 0     ? RTLD_GLOBAL
                                   : strcmp(mode, "deepbind") == 0 ? RTLD_LOCAL | RTLD_DEEPBIND
                                                                   : RTLD_LOCAL);
    plugin = dlopen(argv[1], flags);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    for (int i = 3; i < argc; ++i) {
        if (!obey(argv[i], argv[1], flags)) {
            fprintf(stderr, "%s: wrong\n", argv[i]);
            return 1;
        }
    }
    return 0;
}
