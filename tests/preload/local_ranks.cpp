// The rank that a launcher's variables give a process, and how ranks share GPUs.
#include "common/local_ranks.h"
#include "blas/integers.h"
#include "expect.h"

#include <cstdlib>
#include <initializer_list>

using namespace myblas::preload;

// Whether a library's integers have 64 bits, by its file name.
static_assert(names_64_bit_integers("libblas64.so.3") &&
              names_64_bit_integers("libopenblas64_.so.0") &&
              names_64_bit_integers("libmkl_intel_ilp64.so.2") &&
              names_64_bit_integers("libopenblas64_p-r0-0cf96a72.3.23.so") &&
              names_64_bit_integers("libnvpl_blas_ilp64_gomp.so.0"));
static_assert(!names_64_bit_integers("libblas.so.3") &&
              !names_64_bit_integers("libmkl_gf_lp64.so.2") &&
              !names_64_bit_integers("libnvpl_blas_lp64_gomp.so.0") &&
              !names_64_bit_integers("libopenblas_x86_64.so") &&
              !names_64_bit_integers("libblas-aarch64.so"));

namespace {

struct variable {
    const char *name, *value;
};

// The rank that is read from these variables alone.
local_ranks read(std::initializer_list<variable> variables) {
    clearenv();
    for (const variable& v : variables)
        setenv(v.name, v.value, 1);
    return read_local_ranks();
}

bool is(const local_ranks& r, int rank, int count) { return r.rank == rank && r.count == count; }

void check_hosts() {
    const auto one_host = [](std::initializer_list<variable> variables) {
        read(variables);
        return is_job_on_one_host();
    };
    expect(!one_host({}), "without a launcher nothing is known of hosts");
    for (const auto& [here, everywhere] :
         std::initializer_list<variable>{{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
                                         {"MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_SIZE"},
                                         {"MPI_LOCALNRANKS", "PMI_SIZE"},
                                         {"PMI_LOCAL_SIZE", "PMI_SIZE"}}) {
        expect(one_host({{here, "4"}, {everywhere, "4"}}), here);
        expect(!one_host({{here, "4"}, {everywhere, "8"}}), "a second host");
        expect(!one_host({{here, "4"}}), "a job of unknown size");
        expect(!one_host({{everywhere, "4"}}), "an unknown number of processes here");
    }
    expect(one_host({{"SLURM_STEP_NUM_NODES", "1"}}), "one host of Slurm");
    expect(!one_host({{"SLURM_STEP_NUM_NODES", "2"}}), "two hosts of Slurm");
}

void check_launchers() {
    expect(is(read({}), 0, 1), "without a launcher there is one rank");
    for (const auto& [rank, count] : std::initializer_list<variable>{
             {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
             {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
             {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
             {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
             {"PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},
             {"LOCAL_RANK", "LOCAL_WORLD_SIZE"}}) {
        expect(is(read({{rank, "5"}, {count, "8"}}), 5, 8), rank);
        expect(is(read({{rank, "5"},
                        {count, "8"},
                        {"SLURM_LOCALID", "0"},
                        {"SLURM_STEP_TASKS_PER_NODE", "1"}}),
                  5,
                  8),
               "a launcher that Slurm started knows better than Slurm");
        expect(is(read({{rank, "5"}}), 0, 1), "a rank without a count says nothing");
        expect(is(read({{count, "8"}}), 0, 1), "nor does a count without a rank");
        for (const char* senseless : {"8", "-1", "", "x", "5x", "99999999999999999999"})
            expect(is(read({{rank, senseless}, {count, "8"}}), 0, 1), "a rank that makes no sense");
        for (const char* senseless : {"5", "0", "-8", "", "eight", "8.5"})
            expect(is(read({{rank, "5"}, {count, senseless}}), 0, 1),
                   "a count that makes no sense");
    }
}

void check_slurm() {
    const auto step = [](const char* id, const char* node, const char* tasks) {
        return read(
            {{"SLURM_LOCALID", id}, {"SLURM_NODEID", node}, {"SLURM_STEP_TASKS_PER_NODE", tasks}});
    };
    expect(is(step("1", "0", "4"), 1, 4), "one host");
    expect(is(step("1", "2", "4(x3)"), 1, 4), "the last of three hosts");
    expect(is(step("1", "2", "4(x2),2"), 1, 2), "a host behind two others");
    expect(is(step("2", "1", "2,3(x4)"), 2, 3), "a host before others");
    expect(is(step("0", "3", "4(x3)"), 0, 1), "a host that the list lacks");
    for (const char* senseless : {"", "x", "(x2)", "4(x", "4(x)", ",4", "0", "4 4"})
        expect(is(step("0", "1", senseless), 0, 1), "a list that makes no sense");
    expect(is(read({{"SLURM_LOCALID", "0"}, {"SLURM_TASKS_PER_NODE", "4"}}), 0, 1),
           "a batch script is no rank");
}

// For all numbers of ranks and GPUs: every rank has a GPU, shares are equal, and all ranks agree on
// their number.
void check_sharing() {
    for (int ranks = 1; ranks <= 20; ++ranks)
        for (int gpus = 1; gpus <= 20; ++gpus) {
            int fewest = gpus + 1, most = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                int taken = 0;
                for (int gpu = 0; gpu < gpus; ++gpu)
                    taken += local_ranks{rank, ranks}.take(gpu, gpus);
                fewest = taken < fewest ? taken : fewest;
                most = taken > most ? taken : most;
            }
            expect(fewest == (ranks < gpus ? gpus / ranks : 1),
                   "every rank has its part of the GPUs");
            expect(most - fewest <= (ranks < gpus ? 1 : 0), "no rank has two more than another");
            for (int gpu = 0; gpu < gpus; ++gpu) {
                int sharers = 0;
                for (int rank = 0; rank < ranks; ++rank)
                    sharers += local_ranks{rank, ranks}.take(gpu, gpus);
                expect(sharers >= 1, "every GPU is taken");
                expect(sharers == local_ranks{0, ranks}.on(gpu, gpus),
                       "the expected number of ranks shares a GPU");
            }
        }
    for (int rank = 0; rank < 4; ++rank)
        expect(local_ranks{rank, 4}.take(rank, 4), "with as many ranks as GPUs, each its own");
}

} // namespace

int main() {
    check_launchers();
    check_hosts();
    check_slurm();
    check_sharing();
    return failures != 0;
}
