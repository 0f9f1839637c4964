# shellcheck shell=bash
# Settings of Open MPI for tests: they run as root, as in containers, and on this host alone,
# through its memory and not its networks. To be sourced.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated \
    OMPI_MCA_pml=ob1 \
    OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
