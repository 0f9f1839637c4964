// Threads of the host backend: the caller's, and workers that wait for its tasks.
//
// Workers are started by the first call with enough work, and end with the process or when the
// library is unloaded. A child of fork() starts its own. The workers serve one call at a time: if
// several threads of a program make calls, the other calls run on their own thread alone. No result
// depends on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace myblas::host {

// The number of threads that MYBLAS_NUM_THREADS allows, else OPENBLAS_NUM_THREADS, else
// OMP_NUM_THREADS, else the number of processors that may run this process. Read once for each
// process.
int thread_count();

// Calls work(data, task, thread) once for each task of 0 ... tasks - 1, in any order, on up to
// `threads` threads. This thread is number 0, others have numbers 1 ... threads - 1. If no thread
// can be started, this one runs all tasks.
void run_tasks(int64_t tasks,
               int threads,
               void (*work)(const void* data, int64_t task, int thread),
               const void* data);

template <class Work> // (int64_t task, int thread)
void for_each_task(int64_t tasks, int threads, const Work& work) {
    run_tasks(
        tasks,
        threads,
        [](const void* data, int64_t task, int thread) {
            (*static_cast<const Work*>(data))(task, thread);
        },
        &work);
}

// The number of threads for `work`, so that each has at least `share`.
inline int threads_for(int64_t work, int64_t share) {
    if (work < 2 * share)
        return 1;
    return static_cast<int>(std::min<int64_t>(thread_count(), work / share));
}

// Bytes to move that are worth a thread: more than the second-level cache keeps, about 30 us of
// work.
inline constexpr int64_t bytes_a_thread = int64_t{2} << 20;

// Calls work(first, end) for pieces of 0 ... count - 1 that begin at multiples of `grain`, on
// several threads if the pieces move enough bytes.
template <class Work>
void for_each_piece(int64_t count, int64_t bytes_an_element, int64_t grain, const Work& work) {
    const int threads = threads_for(count * bytes_an_element, bytes_a_thread);
    if (threads == 1) {
        work(int64_t{0}, count);
        return;
    }
    // Several pieces for each thread: a thread that starts late, or whose processor is shared,
    // takes fewer.
    constexpr int64_t pieces_a_thread = 4;
    const int64_t even = (count + threads * pieces_a_thread - 1) / (threads * pieces_a_thread);
    const int64_t piece = (even + grain - 1) / grain * grain;
    for_each_task((count + piece - 1) / piece, threads, [&](int64_t task, int) {
        work(task * piece, std::min(count, (task + 1) * piece));
    });
}

} // namespace myblas::host
