// Exported functions that are written in assembly.
#pragma once

#define FUNCTION(symbol, body)                                                                     \
    asm("   .pushsection .text\n"                                                                  \
        "   .p2align 4\n"                                                                          \
        "   .globl " #symbol "\n"                                                                  \
        "   .type " #symbol ", @function\n" #symbol ":\n"                                          \
        "   .cfi_startproc\n" body "   .cfi_endproc\n"                                             \
        "   .size " #symbol ", . - " #symbol "\n"                                                  \
        "   .popsection\n");

// LANDING begins a function, since programs call it through pointers, too. JUMP(pointer) jumps to
// the function that the pointer leads to, with all arguments as they are.
#ifdef __x86_64__
#define LANDING "   endbr64\n"
#define JUMP(pointer) "   jmp *" #pointer "(%rip)\n"
#elif defined(__aarch64__)
#define LANDING
#define JUMP(pointer)                                                                              \
    "   adrp x16, " #pointer "\n   ldr x16, [x16, :lo12:" #pointer "]\n   br x16\n"
#else
#error "The exported functions are written in assembly: add those of this processor."
#endif
