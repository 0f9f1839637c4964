#include "common/local_ranks.h"

#include "core/environment.h"

#include <algorithm>
#include <climits>
#include <cstdio>

namespace myblas::preload {
namespace {

// A number in decimal digits; moves *text past the number. -1: *text has no number.
int read_digits(const char** text) noexcept {
    if (**text < '0' || **text > '9')
        return -1;
    char* end;
    const long number = std::strtol(*text, &end, 10);
    *text = end;
    return static_cast<int>(std::min<long>(number, INT_MAX));
}

// -1: the variable is not set, or holds anything else.
int read_number(const char* variable) noexcept {
    const char* text = read_variable(variable);
    const int number = text ? read_digits(&text) : -1;
    return number >= 0 && *text == '\0' ? number : -1;
}

bool is_sensible(const local_ranks& r) noexcept { return 0 <= r.rank && r.rank < r.count; }

// Launchers that run under Slurm come first: then Slurm numbers the launchers, not the ranks.
constexpr struct {
    const char *rank, *count;
} launchers[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"}, // Open MPI
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},   // MVAPICH2
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},                       // MPICH's Hydra, Intel MPI
    {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},                         // Cray MPICH
    {"PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},                     // Cray PALS
    {"LOCAL_RANK", "LOCAL_WORLD_SIZE"},                           // torchrun
};

// The same for the whole job. Slurm sets its variables in batch scripts, too: see read_slurm.
constexpr struct {
    const char *rank, *sign, *size; // sign: the rank is valid only if this variable is set
} jobs[] = {
    // torchrun, which another launcher may have started
    {"RANK", "WORLD_SIZE", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "PMI_SIZE"}, // MPICH's Hydra, Intel MPI, Cray MPICH
    {"PALS_RANKID", "PALS_LOCAL_SIZE", nullptr},
    {"SLURM_PROCID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NUM_TASKS"},
};

// Numbers of processes: on this host, and in the whole job.
constexpr struct {
    const char *here, *everywhere;
} sizes[] = {
    {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_SIZE"},
    {"MPI_LOCALNRANKS", "PMI_SIZE"},
    {"PMI_LOCAL_SIZE", "PMI_SIZE"},
};

// The tasks that `srun` starts on this host. The counts of all hosts are a list such as "2(x3),1":
// three hosts with two tasks each, then one host with one task. Slurm sets a task's number in batch
// scripts too, but sets the list only in a step.
local_ranks read_slurm() noexcept {
    const char* list = read_variable("SLURM_STEP_TASKS_PER_NODE");
    int hosts_before = std::max(0, read_number("SLURM_NODEID"));
    while (list) {
        const int count = read_digits(&list);
        int hosts = 1;
        if (std::strncmp(list, "(x", 2) == 0) {
            list += 2;
            hosts = read_digits(&list);
            list += *list == ')';
        }
        if (count < 0 || hosts < 0)
            break;
        if (hosts_before < hosts)
            return {read_number("SLURM_LOCALID"), count};
        hosts_before -= hosts;
        if (*list++ != ',')
            break;
    }
    return {};
}

} // namespace

bool local_ranks::take(int gpu, int gpus) const noexcept {
    return (gpu - rank) % std::min(count, gpus) == 0;
}

int local_ranks::on(int gpu, int gpus) const noexcept {
    const int takers = std::min(count, gpus);
    return (count - 1 - gpu % takers) / takers + 1;
}

int read_rank() noexcept {
    for (const auto& job : jobs)
        if (const int rank = read_number(job.rank); rank >= 0 && read_variable(job.sign))
            return rank;
    return -1;
}

bool is_one_of_several() noexcept {
    for (const auto& job : jobs)
        if (read_number(job.rank) >= 0 && read_variable(job.sign))
            return !job.size || read_number(job.size) != 1;
    return read_local_ranks().count > 1;
}

bool is_job_on_one_host() noexcept {
    for (const auto& size : sizes)
        if (const int here = read_number(size.here), everywhere = read_number(size.everywhere);
            here > 0 && everywhere > 0)
            return here == everywhere;
    return read_number("SLURM_STEP_NUM_NODES") == 1;
}

rank_name read_rank_name() noexcept {
    rank_name name{};
    const local_ranks local = read_local_ranks();
    if (const int rank = read_rank(); rank >= 0)
        std::snprintf(name.text, sizeof name.text, "rank %d", rank);
    else if (local.count > 1)
        std::snprintf(name.text, sizeof name.text, "local rank %d", local.rank);
    return name;
}

local_ranks read_local_ranks() noexcept {
    for (const auto& variables : launchers)
        if (const local_ranks r{read_number(variables.rank), read_number(variables.count)};
            is_sensible(r))
            return r;
    const local_ranks r = read_slurm();
    return is_sensible(r) ? r : local_ranks{};
}

} // namespace myblas::preload
