// lookups DIR: prints what look-ups by name find, and dlerror's message for each that finds
// nothing, one on each line. DIR has the libraries that lookups.sh builds. This program is linked
// to first.so, and first.so to second.so; both define `who`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// How programs were linked before glibc 2.34.
#ifdef __x86_64__
extern void* old_dlsym(void*, const char*);
__asm__(".symver old_dlsym, dlsym@GLIBC_2.2.5");
#else
#define old_dlsym dlsym
#endif

typedef void* look_up(void*, const char*);
typedef const char* who_function(void);

const char* who(void);
const char* who_is_next(void); // by RTLD_NEXT, in first.so

static void say(const char* what, void* function) {
    const char* error = function ? NULL : dlerror();
    who_function* f;
    *(void**)&f = function;
    printf("%s: %s\n", what, f ? f() : error ? error : "nothing, and no error");
}

static void* look_up_often(void* library) {
    for (int i = 0; i < 2000; ++i)
        if (!dlsym(library, "who") || !dlsym(library, "cublasSgemm_v2") ||
            dlsym(library, "nobody") || !dlerror())
            return NULL;
    return library;
}

static void* open_in(const char* directory, const char* name, int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    void* library = dlopen(path, flags);
    if (!library)
        printf("%s\n", dlerror());
    return library;
}

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    printf("called: %s, next: %s\n", who(), who_is_next());

    // From a plugin that has dependencies which the program does not see.
    void* plugin = open_in(argv[1], "plugin.so", RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        return 2;
    look_up* from_plugin;
    *(void**)&from_plugin = dlsym(plugin, "look_up_default");
    say("plugin's default", from_plugin(RTLD_DEFAULT, "who_in_plugin"));
    say("program's default", dlsym(RTLD_DEFAULT, "who_in_plugin"));
    say("plugin's error", from_plugin(RTLD_DEFAULT, "nobody"));
    say("program's error", dlsym(RTLD_DEFAULT, "nobody"));
    say("handle's error", dlsym(plugin, "nobody"));
    say("next's error", dlsym(RTLD_NEXT, "nobody"));
    say("plugin's own", dlsym(plugin, "who"));
    say("program's handle", dlsym(dlopen(NULL, RTLD_NOW), "who"));

    // A function with the name of one of cuBLAS's, in a library that is no cuBLAS, and one that no
    // cuBLAS has.
    say("no cuBLAS", dlsym(plugin, "cublasSgemm_v2"));
    say("unknown name", dlsym(plugin, "cublasSgemm"));

    // Versions of a symbol.
    void* versions = open_in(argv[1], "versions.so", RTLD_NOW | RTLD_LOCAL);
    say("default version", dlsym(versions, "who"));
    say("first version", dlvsym(versions, "who", "V1"));
    say("second version", dlvsym(versions, "who", "V2"));

    // dlsym itself, under its old version and by name.
    say("old dlsym", old_dlsym(RTLD_DEFAULT, "who"));
    say("old dlsym's error", old_dlsym(plugin, "nobody"));
    look_up* itself;
    *(void**)&itself = dlsym(RTLD_DEFAULT, "dlsym");
    say("dlsym by name", itself(RTLD_NEXT, "who"));
    printf("no error is left: %d\n", dlerror() == NULL);

    // Another namespace, which has its own C library.
    void* elsewhere = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/second.so", argv[1]);
    elsewhere = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    say("another namespace", elsewhere ? dlsym(elsewhere, "who") : NULL);

    pthread_t threads[8];
    int right = 0;
    for (int i = 0; i < 8; ++i)
        pthread_create(&threads[i], NULL, look_up_often, plugin);
    for (int i = 0; i < 8; ++i) {
        void* result = NULL;
        pthread_join(threads[i], &result);
        right += result == plugin;
    }
    printf("threads that found what they looked for: %d\n", right);
    return 0;
}
