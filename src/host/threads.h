// Threads of the host backend: the caller's and workers that wait for its tasks.
//
// Workers are started by the first call whose work is worth them, and end with the process or when the library is
// unloaded. A child of fork() starts its own. One call has the workers at a time: of calls from several threads of a program
// the others work alone, as they would with the processors taken. No result depends on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace myblas::host {

// How many threads MYBLAS_NUM_THREADS allows, else OPENBLAS_NUM_THREADS or OMP_NUM_THREADS, else as many as processors may
// run this process. Read once a process.
int thread_count();

// Calls work(data, task, thread) once for each task of 0 ... tasks - 1, in any order, on up to `threads` threads: this one,
// which is thread 0, and others, 1 ... threads - 1. Where no thread can be started, it does all by itself.
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

// The threads for work of that size, of which each should have at least `share`.
inline int threads_for(int64_t work, int64_t share) {
    if (work < 2 * share)
        return 1;
    return static_cast<int>(std::min<int64_t>(thread_count(), work / share));
}

// Bytes to move that are worth a thread: what does not stay in the second-level cache, at least 30 us of them.
inline constexpr int64_t bytes_a_thread = int64_t{2} << 20;

// Calls work(first, end) for pieces of 0 ... count - 1 that begin at multiples of `grain`, on several threads where
// the bytes that an element moves make it worth while.
template <class Work>
void for_each_piece(int64_t count, int64_t bytes_an_element, int64_t grain, const Work& work) {
    const int threads = threads_for(count * bytes_an_element, bytes_a_thread);
    if (threads == 1) {
        work(int64_t{0}, count);
        return;
    }
    // Several pieces a thread: one that comes late, or whose processor is shared, takes fewer.
    constexpr int64_t pieces_a_thread = 4;
    const int64_t even = (count + threads * pieces_a_thread - 1) / (threads * pieces_a_thread);
    const int64_t piece = (even + grain - 1) / grain * grain;
    for_each_task((count + piece - 1) / piece, threads, [&](int64_t task, int) {
        work(task * piece, std::min(count, (task + 1) * piece));
    });
}

} // namespace myblas::host
