// linked COMMAND [PLUGIN COMMAND]: a program that is linked to cuBLAS, and then loads a plugin that
// is linked to another cuBLAS. Status 0: all results were right.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int plugin_served(void);
int plugin_product(void);

int main(int argc, char** argv) {
    if (argc < 2 || !(strcmp(argv[1], "served") == 0 ? plugin_served() : plugin_product()))
        return 1;
    if (argc < 4)
        return 0;
    void* plugin = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    char name[64];
    snprintf(name, sizeof name, "plugin_%s", argv[3]);
    int (*function)(void) = NULL;
    if (plugin)
        *(void**)&function = dlsym(plugin, name);
    return function && function() ? 0 : 1;
}
