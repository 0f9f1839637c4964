// The processes of one MPI job on this host, its local ranks, and how they share the GPUs. Launchers tell each process by
// the environment which one it is.
#pragma once

namespace myblas::preload {

struct local_ranks {
    int rank = 0; // from 0 to count - 1
    int count = 1;

    // Whether this rank takes the GPU, of so many. With more GPUs than ranks it takes several, which are its
    // alone; with fewer, one, which others take, too.
    bool take(int gpu, int gpus) const noexcept;

    // How many ranks take the GPU.
    int on(int gpu, int gpus) const noexcept;
};

// One rank where no launcher tells, or what it tells makes no sense.
local_ranks read_local_ranks() noexcept;

// The number of this process among all of the job, on all hosts; -1 where no launcher tells.
int read_rank() noexcept;

} // namespace myblas::preload
