// Products for a second, until a GPU is worth starting; then a large one, and one that moves much
// data for little work. `fork`: a product in a child that is forked while another thread starts the
// GPU; the driver, a stand-in, waits for as long as the file STANDIN_HOLD exists. `forks`: products
// in children that are forked while another thread multiplies. Status 0: all results are right.
#define _GNU_SOURCE
#include "sgemm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most = 2048 };
static float a[most * most], b[most * most], c[most * most];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// C = A B with A full of ones and a B whose columns are constant; m = k. Returns the seconds.
static double multiply(int m, int n, bool* is_right) {
    const float one = 1, zero = 0;
    for (int i = 0; i < m * n; ++i) {
        b[i] = (float)(i / m % 7);
        c[i] = -1;
    }
    const double begin = now();
    sgemm_("N", "N", &m, &n, &m, &one, a, &m, b, &m, &zero, c, &m, 1, 1);
    const double seconds = now() - begin;
    for (int i = 0; i < m * n; ++i)
        if (c[i] != (float)(m * (i / m % 7))) {
            printf("m = %d, n = %d: C[%d] is %g\n", m, n, i, c[i]);
            *is_right = false;
            break;
        }
    return seconds;
}

static void* start(void* is_right) {
    multiply(1000, 1000, is_right);
    return NULL;
}

static bool multiply_in_child(void) {
    bool is_right = true;
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); // it may hang
        multiply(1000, 10, &is_right);
        exit(!is_right);
    }
    waitpid(child, &status, 0);
    return status == 0;
}

static bool fork_while_starting(void) {
    const char* const hold = getenv("STANDIN_HOLD");
    bool is_right = true;
    pthread_t starter;
    pthread_create(&starter, NULL, start, &is_right);
    while (access(hold, F_OK) != 0)
        usleep(1000);
    const bool is_child_right = multiply_in_child();
    remove(hold);
    pthread_join(starter, NULL);
    return is_right && is_child_right;
}

static atomic_bool is_over;
static void* multiply_on(void* is_right) {
    while (!is_over)
        multiply(1000, 10, is_right);
    return NULL;
}

static bool fork_while_multiplying(void) {
    bool is_right = true, are_children_right = true;
    pthread_t other;
    pthread_create(&other, NULL, multiply_on, &is_right);
    for (int i = 0; i < 20; ++i) {
        usleep(1000 * i);
        are_children_right = multiply_in_child() && are_children_right;
    }
    is_over = true;
    pthread_join(other, NULL);
    return is_right && are_children_right;
}

int main(int argc, char** argv) {
    bool is_right = true;
    for (int i = 0; i < most * most; ++i)
        a[i] = 1;
    if (argc > 1)
        return !(strcmp(argv[1], "fork") == 0 ? fork_while_starting() : fork_while_multiplying());
    for (double seconds = 0; seconds < 1;)
        seconds += multiply(1000, 1000, &is_right);
    multiply(most, most, &is_right);
    multiply(most, 2, &is_right);
    return !is_right;
}
