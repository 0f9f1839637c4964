// The libraries of lookups.sh; a macro says which of them is compiled.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

typedef void* look_up(void*, const char*);

#if defined FIRST
const char* who(void) { return "first"; }
const char* who_is_next(void) {
    const char* (*next)(void) = NULL;
    *(void**)&next = dlsym(RTLD_NEXT, "who");
    return next ? next() : "nobody";
}

#elif defined SECOND
const char* who(void) { return "second"; }

#elif defined DEPENDENCY
const char* who_in_plugin(void) { return "the plugin's dependency"; }

#elif defined PLUGIN
const char* who(void) { return "plugin"; }
const char* cublasSgemm_v2(void) { return "a function of the plugin"; }
const char* who_in_plugin(void);
// Not a tail call, which would make the caller of this function the caller of dlsym.
void* look_up_default(void* handle, const char* name) {
    void* volatile found = dlsym(handle, name);
    return found;
}
const char* needs_its_dependency(void) { return who_in_plugin(); }

#elif defined VERSIONS
const char* who_1(void) { return "version 1"; }
const char* who_2(void) { return "version 2"; }
__asm__(".symver who_1, who@V1");
__asm__(".symver who_2, who@@V2");

#elif defined ALLOCATOR
// An allocator that replaces the C library's, which it looks up by name at the first call, before
// any constructor.
void* malloc(size_t bytes) {
    static void* (*next)(size_t);
    if (!next)
        *(void**)&next = dlsym(RTLD_NEXT, "malloc");
    return next(bytes);
}

#elif defined INTERPOSER
// A library that defines dlsym.
void* dlsym(void* handle, const char* name) {
    static look_up* next;
    if (!next)
        *(void**)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return next(handle, name);
}
#endif
