// The processes of one MPI job on this host, its local ranks, and how they share the GPUs.
// Launchers tell each process its rank through the environment.
#pragma once

namespace myblas::preload {

struct local_ranks {
    int rank = 0; // from 0 to count - 1
    int count = 1;

    // Whether this rank takes GPU `gpu` of `gpus` GPUs. If there are more GPUs than ranks, a rank
    // takes several GPUs that no other rank takes. If there are fewer, a rank takes one GPU, which
    // it shares.
    bool take(int gpu, int gpus) const noexcept;

    // How many ranks take the GPU.
    int on(int gpu, int gpus) const noexcept;
};

// One rank if no launcher sets the variables, or if their values make no sense.
local_ranks read_local_ranks() noexcept;

// The number of this process among all processes of the job, on all hosts; -1 if no launcher sets
// it.
int read_rank() noexcept;

// Whether a launcher says that all processes of the job are on this host. Launchers that are not
// known do not say it.
bool is_job_on_one_host() noexcept;

// "rank 3", or "local rank 3" if only the number on this host is known; empty: the process belongs
// to no job.
struct rank_name {
    char text[32];
};
rank_name read_rank_name() noexcept;

// Whether the process is one of several ranks of a job, or a rank of a job of unknown size.
bool is_one_of_several() noexcept;

} // namespace myblas::preload
