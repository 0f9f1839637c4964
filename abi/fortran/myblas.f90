! Written by scripts/generate.py from myblas.h and myblas_kernels.h.
! The comments of these headers describe the functions. Names, order of parameters and meanings are
! those of C.
!   Functions   Each returns a status, except myblasGetStatusName and myblasGetStatusString.
!   Memory      Handles, streams and memory are a type(c_ptr). Device memory comes from
!               myblasMalloc; host memory is c_loc of a variable with the target attribute. Scalars
!               (alpha, beta, results) are pointers, too: the pointer mode says to which memory.
!   Arrays      mysgemmHost takes the program's own arrays and scalars, as sgemm does, and keeps
!               nothing on the device.
!   Strings     An argument ends with c_null_char; an absent argument means NULL. A result is a
!               type(c_ptr) to characters that end with c_null_char.
!   Structures  A new one has its size_bytes set, and all other members are zero.
! Every procedure is an interface to C: a program that uses this module links to libmyblas alone.
module myblas
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_float, c_funptr, c_int, c_int64_t, &
        c_long_long, c_null_ptr, c_ptr, c_size_t
    implicit none
    private :: c_char, c_double, c_float, c_funptr, c_int, c_int64_t, c_long_long, c_null_ptr, &
        c_ptr, c_size_t

    integer(c_int), parameter :: MYBLAS_VERSION_MAJOR = 1
    integer(c_int), parameter :: MYBLAS_VERSION_MINOR = 0
    integer(c_int), parameter :: MYBLAS_VERSION_PATCH = 0
    integer(c_int), parameter :: MYBLAS_ROUTINE_COUNT = 27

    ! myblasStatus_t
    integer(c_int), parameter :: MYBLAS_STATUS_SUCCESS = 0
    integer(c_int), parameter :: MYBLAS_STATUS_NOT_INITIALIZED = 1
    integer(c_int), parameter :: MYBLAS_STATUS_ALLOC_FAILED = 3
    integer(c_int), parameter :: MYBLAS_STATUS_INVALID_VALUE = 7
    integer(c_int), parameter :: MYBLAS_STATUS_ARCH_MISMATCH = 8
    integer(c_int), parameter :: MYBLAS_STATUS_MAPPING_ERROR = 11
    integer(c_int), parameter :: MYBLAS_STATUS_EXECUTION_FAILED = 13
    integer(c_int), parameter :: MYBLAS_STATUS_INTERNAL_ERROR = 14
    integer(c_int), parameter :: MYBLAS_STATUS_NOT_SUPPORTED = 15
    integer(c_int), parameter :: MYBLAS_STATUS_LICENSE_ERROR = 16

    ! myblasOperation_t
    integer(c_int), parameter :: MYBLAS_OP_N = 0
    integer(c_int), parameter :: MYBLAS_OP_T = 1
    integer(c_int), parameter :: MYBLAS_OP_C = 2

    ! myblasFillMode_t
    integer(c_int), parameter :: MYBLAS_FILL_MODE_LOWER = 0
    integer(c_int), parameter :: MYBLAS_FILL_MODE_UPPER = 1

    ! myblasSideMode_t
    integer(c_int), parameter :: MYBLAS_SIDE_LEFT = 0
    integer(c_int), parameter :: MYBLAS_SIDE_RIGHT = 1

    ! myblasDiagType_t
    integer(c_int), parameter :: MYBLAS_DIAG_NON_UNIT = 0
    integer(c_int), parameter :: MYBLAS_DIAG_UNIT = 1

    ! myblasPointerMode_t
    integer(c_int), parameter :: MYBLAS_POINTER_MODE_HOST = 0
    integer(c_int), parameter :: MYBLAS_POINTER_MODE_DEVICE = 1

    ! myblasMath_t
    integer(c_int), parameter :: MYBLAS_FP32_STRICT_MATH = 0
    integer(c_int), parameter :: MYBLAS_FP32_EMULATED_MATH = 1
    integer(c_int), parameter :: MYBLAS_FP32_FAST_MATH = 2
    integer(c_int), parameter :: MYBLAS_FP32_REPRODUCIBLE_MATH = 3

    ! myblasActivation_t
    integer(c_int), parameter :: MYBLAS_ACTIVATION_NONE = 0
    integer(c_int), parameter :: MYBLAS_ACTIVATION_RELU = 1
    integer(c_int), parameter :: MYBLAS_ACTIVATION_GELU = 2

    ! myblasBias_t
    integer(c_int), parameter :: MYBLAS_BIAS_OF_ROWS = 0
    integer(c_int), parameter :: MYBLAS_BIAS_OF_COLUMNS = 1

    ! myblasBackend_t
    integer(c_int), parameter :: MYBLAS_BACKEND_AUTO = 0
    integer(c_int), parameter :: MYBLAS_BACKEND_HOST = 1
    integer(c_int), parameter :: MYBLAS_BACKEND_CUDA = 2

    ! myblasProperty_t
    integer(c_int), parameter :: MYBLAS_PROPERTY_MAJOR_VERSION = 0
    integer(c_int), parameter :: MYBLAS_PROPERTY_MINOR_VERSION = 1
    integer(c_int), parameter :: MYBLAS_PROPERTY_PATCH_LEVEL = 2

    ! myblasRoutine_t
    integer(c_int), parameter :: MYBLAS_ROUTINE_SGEMM = 0
    integer(c_int), parameter :: MYBLAS_ROUTINE_TRANSPOSE = 1
    integer(c_int), parameter :: MYBLAS_ROUTINE_GEAM = 2
    integer(c_int), parameter :: MYBLAS_ROUTINE_SUM = 3
    integer(c_int), parameter :: MYBLAS_ROUTINE_DSUM = 4
    integer(c_int), parameter :: MYBLAS_ROUTINE_AXPY = 5
    integer(c_int), parameter :: MYBLAS_ROUTINE_COPY = 6
    integer(c_int), parameter :: MYBLAS_ROUTINE_GEMSUM = 7
    integer(c_int), parameter :: MYBLAS_ROUTINE_HISTOGRAM = 8
    integer(c_int), parameter :: MYBLAS_ROUTINE_DOT = 9
    integer(c_int), parameter :: MYBLAS_ROUTINE_NRM2 = 10
    integer(c_int), parameter :: MYBLAS_ROUTINE_IAMAX = 11
    integer(c_int), parameter :: MYBLAS_ROUTINE_SCAL = 12
    integer(c_int), parameter :: MYBLAS_ROUTINE_SWAP = 13
    integer(c_int), parameter :: MYBLAS_ROUTINE_ROT = 14
    integer(c_int), parameter :: MYBLAS_ROUTINE_ROTM = 15
    integer(c_int), parameter :: MYBLAS_ROUTINE_ROTG = 16
    integer(c_int), parameter :: MYBLAS_ROUTINE_ROTMG = 17
    integer(c_int), parameter :: MYBLAS_ROUTINE_SYMV = 18
    integer(c_int), parameter :: MYBLAS_ROUTINE_SYR = 19
    integer(c_int), parameter :: MYBLAS_ROUTINE_TRMV = 20
    integer(c_int), parameter :: MYBLAS_ROUTINE_TRSV = 21
    integer(c_int), parameter :: MYBLAS_ROUTINE_SYRK = 22
    integer(c_int), parameter :: MYBLAS_ROUTINE_SYR2K = 23
    integer(c_int), parameter :: MYBLAS_ROUTINE_SYMM = 24
    integer(c_int), parameter :: MYBLAS_ROUTINE_TRMM = 25
    integer(c_int), parameter :: MYBLAS_ROUTINE_TRSM = 26

    type, bind(c) :: myblasCall_t
        integer(c_size_t) :: size_bytes = 136
        integer(c_int) :: routine = 0
        integer(c_int) :: transa = 0, transb = 0
        integer(c_int) :: element_bytes = 0
        integer(c_int64_t) :: m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0, batch_count = 0
        type(c_ptr) :: A = c_null_ptr, B = c_null_ptr, C = c_null_ptr
        integer(c_int) :: math_mode = 0
        integer(c_int) :: pointer_array = 0
        integer(c_int) :: side = 0
        integer(c_int) :: uplo = 0
        integer(c_int) :: diag = 0
        integer(c_int) :: is_fused = 0, reads_C = 0, shared = 0
    end type

    type, bind(c) :: myblasEpilogue_t
        integer(c_size_t) :: size_bytes = 56
        integer(c_int) :: activation = 0
        integer(c_int) :: bias_of = 0
        type(c_ptr) :: bias = c_null_ptr, aux = c_null_ptr
        integer(c_int64_t) :: ldaux = 0, stride_bias = 0, stride_aux = 0
    end type

    type, bind(c) :: myblasKernelInfo_t
        integer(c_size_t) :: size_bytes = 80
        type(c_ptr) :: name = c_null_ptr, description = c_null_ptr
        integer(c_int) :: min_arch = 0, max_arch = 0, block_m = 0, block_n = 0, block_k = 0, &
            threads = 0, stages = 0
        integer(c_size_t) :: smem_bytes = 0
        integer(c_int) :: alignment_bytes = 0, deterministic = 0
        integer(c_int) :: math_mode = 0
    end type

    type, bind(c) :: myblasDevice_t
        integer(c_size_t) :: size_bytes = 40
        integer(c_int) :: arch = 0, sm_count = 0, clock_mhz = 0, memory_gbps = 0
        integer(c_size_t) :: l2_bytes = 0, smem_per_block = 0
    end type

    type, bind(c) :: myblasKernelEstimate_t
        integer(c_size_t) :: size_bytes = 168
        integer(c_int) :: accepted = 0, candidate = 0
        integer(c_size_t) :: workspace_bytes = 0, best_workspace_bytes = 0
        type(c_ptr) :: refusal = c_null_ptr
        real(c_double) :: launches = 0, rounds = 0, steps = 0, math_cycles = 0, copies = 0, &
            l2_bytes = 0, memory_bytes = 0, exchanges = 0, wave_efficiency = 0, &
            tile_utilisation = 0, arithmetic_us = 0, cache_us = 0, memory_us = 0, overhead_us = 0, &
            factor = 0, predicted_us = 0
    end type

    interface
        ! ---- Handles ----------------------------------------------------------------------------

        function myblasCreate(handle) &
            bind(c, name="myblasCreate") result(status)
            import
            type(c_ptr), intent(out) :: handle
            integer(c_int) :: status
        end function

        function myblasCreateOn(handle, backend) &
            bind(c, name="myblasCreateOn") result(status)
            import
            type(c_ptr), intent(out) :: handle
            integer(c_int), value :: backend
            integer(c_int) :: status
        end function

        function myblasDestroy(handle) &
            bind(c, name="myblasDestroy") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int) :: status
        end function

        function myblasGetVersion(handle, version) &
            bind(c, name="myblasGetVersion") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), intent(out) :: version
            integer(c_int) :: status
        end function

        function myblasGetProperty(property, value) &
            bind(c, name="myblasGetProperty") result(status)
            import
            integer(c_int), value :: property
            integer(c_int), intent(out) :: value
            integer(c_int) :: status
        end function

        function myblasGetStatusName(status) &
            bind(c, name="myblasGetStatusName") result(string)
            import
            integer(c_int), value :: status
            type(c_ptr) :: string
        end function

        function myblasGetStatusString(status) &
            bind(c, name="myblasGetStatusString") result(string)
            import
            integer(c_int), value :: status
            type(c_ptr) :: string
        end function

        function myblasGetBackend(handle, backend) &
            bind(c, name="myblasGetBackend") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), intent(out) :: backend
            integer(c_int) :: status
        end function

        function myblasSetStream(handle, stream) &
            bind(c, name="myblasSetStream") result(status)
            import
            type(c_ptr), value :: handle, stream
            integer(c_int) :: status
        end function

        function myblasGetStream(handle, stream) &
            bind(c, name="myblasGetStream") result(status)
            import
            type(c_ptr), value :: handle
            type(c_ptr), intent(out) :: stream
            integer(c_int) :: status
        end function

        function myblasSetPointerMode(handle, mode) &
            bind(c, name="myblasSetPointerMode") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: mode
            integer(c_int) :: status
        end function

        function myblasGetPointerMode(handle, mode) &
            bind(c, name="myblasGetPointerMode") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), intent(out) :: mode
            integer(c_int) :: status
        end function

        function myblasSetMathMode(handle, mode) &
            bind(c, name="myblasSetMathMode") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: mode
            integer(c_int) :: status
        end function

        function myblasGetMathMode(handle, mode) &
            bind(c, name="myblasGetMathMode") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), intent(out) :: mode
            integer(c_int) :: status
        end function

        function myblasSetSmCountTarget(handle, count) &
            bind(c, name="myblasSetSmCountTarget") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: count
            integer(c_int) :: status
        end function

        function myblasGetSmCountTarget(handle, count) &
            bind(c, name="myblasGetSmCountTarget") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), intent(out) :: count
            integer(c_int) :: status
        end function

        function myblasSetWorkspace(handle, workspace, size_bytes) &
            bind(c, name="myblasSetWorkspace") result(status)
            import
            type(c_ptr), value :: handle, workspace
            integer(c_size_t), value :: size_bytes
            integer(c_int) :: status
        end function

        function myblasSetWorkspaceLimit(handle, size_bytes) &
            bind(c, name="myblasSetWorkspaceLimit") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_size_t), value :: size_bytes
            integer(c_int) :: status
        end function

        function myblasGetWorkspaceLimit(handle, size_bytes) &
            bind(c, name="myblasGetWorkspaceLimit") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_size_t), intent(out) :: size_bytes
            integer(c_int) :: status
        end function

        function myblasGetWorkspaceSize(handle, call, size_bytes) &
            bind(c, name="myblasGetWorkspaceSize") result(status)
            import
            type(c_ptr), value :: handle
            type(myblasCall_t), intent(in) :: call
            integer(c_size_t), intent(out) :: size_bytes
            integer(c_int) :: status
        end function

        ! ---- Logger -----------------------------------------------------------------------------

        function myblasSetLoggerCallback(callback) &
            bind(c, name="myblasSetLoggerCallback") result(status)
            import
            type(c_funptr), value :: callback
            integer(c_int) :: status
        end function

        function myblasLoggerConfigure(log_is_on, log_to_stdout, log_to_stderr, log_file) &
            bind(c, name="myblasLoggerConfigure") result(status)
            import
            integer(c_int), value :: log_is_on, log_to_stdout, log_to_stderr
            character(kind=c_char), intent(in), optional :: log_file(*)
            integer(c_int) :: status
        end function

        ! ---- Streams and memory for portable programs -------------------------------------------

        function myblasStreamCreate(handle, stream) &
            bind(c, name="myblasStreamCreate") result(status)
            import
            type(c_ptr), value :: handle
            type(c_ptr), intent(out) :: stream
            integer(c_int) :: status
        end function

        function myblasStreamDestroy(handle, stream) &
            bind(c, name="myblasStreamDestroy") result(status)
            import
            type(c_ptr), value :: handle, stream
            integer(c_int) :: status
        end function

        function myblasStreamSynchronize(handle, stream) &
            bind(c, name="myblasStreamSynchronize") result(status)
            import
            type(c_ptr), value :: handle, stream
            integer(c_int) :: status
        end function

        function myblasMalloc(handle, ptr, size_bytes) &
            bind(c, name="myblasMalloc") result(status)
            import
            type(c_ptr), value :: handle
            type(c_ptr), intent(out) :: ptr
            integer(c_size_t), value :: size_bytes
            integer(c_int) :: status
        end function

        function myblasFree(handle, ptr) &
            bind(c, name="myblasFree") result(status)
            import
            type(c_ptr), value :: handle, ptr
            integer(c_int) :: status
        end function

        function myblasSetMatrix(handle, rows, cols, element_bytes, A, lda, B, ldb) &
            bind(c, name="myblasSetMatrix") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int), value :: rows, cols, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function myblasSetMatrix_64(handle, rows, cols, element_bytes, A, lda, B, ldb) &
            bind(c, name="myblasSetMatrix_64") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int64_t), value :: rows, cols, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function myblasGetMatrix(handle, rows, cols, element_bytes, A, lda, B, ldb) &
            bind(c, name="myblasGetMatrix") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int), value :: rows, cols, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function myblasGetMatrix_64(handle, rows, cols, element_bytes, A, lda, B, ldb) &
            bind(c, name="myblasGetMatrix_64") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int64_t), value :: rows, cols, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function myblasSetVector(handle, n, element_bytes, x, incx, y, incy) &
            bind(c, name="myblasSetVector") result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int), value :: n, element_bytes, incx, incy
            integer(c_int) :: status
        end function

        function myblasSetVector_64(handle, n, element_bytes, x, incx, y, incy) &
            bind(c, name="myblasSetVector_64") result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int64_t), value :: n, element_bytes, incx, incy
            integer(c_int) :: status
        end function

        function myblasGetVector(handle, n, element_bytes, x, incx, y, incy) &
            bind(c, name="myblasGetVector") result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int), value :: n, element_bytes, incx, incy
            integer(c_int) :: status
        end function

        function myblasGetVector_64(handle, n, element_bytes, x, incx, y, incy) &
            bind(c, name="myblasGetVector_64") result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int64_t), value :: n, element_bytes, incx, incy
            integer(c_int) :: status
        end function

        function myblasSetMatrixAsync(handle, rows, cols, element_bytes, A, lda, B, ldb, stream) &
            bind(c, name="myblasSetMatrixAsync") result(status)
            import
            type(c_ptr), value :: handle, A, B, stream
            integer(c_int), value :: rows, cols, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function myblasSetMatrixAsync_64(handle, rows, cols, element_bytes, A, lda, B, ldb, &
            stream) &
            bind(c, name="myblasSetMatrixAsync_64") result(status)
            import
            type(c_ptr), value :: handle, A, B, stream
            integer(c_int64_t), value :: rows, cols, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function myblasGetMatrixAsync(handle, rows, cols, element_bytes, A, lda, B, ldb, stream) &
            bind(c, name="myblasGetMatrixAsync") result(status)
            import
            type(c_ptr), value :: handle, A, B, stream
            integer(c_int), value :: rows, cols, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function myblasGetMatrixAsync_64(handle, rows, cols, element_bytes, A, lda, B, ldb, &
            stream) &
            bind(c, name="myblasGetMatrixAsync_64") result(status)
            import
            type(c_ptr), value :: handle, A, B, stream
            integer(c_int64_t), value :: rows, cols, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function myblasSetVectorAsync(handle, n, element_bytes, x, incx, y, incy, stream) &
            bind(c, name="myblasSetVectorAsync") result(status)
            import
            type(c_ptr), value :: handle, x, y, stream
            integer(c_int), value :: n, element_bytes, incx, incy
            integer(c_int) :: status
        end function

        function myblasSetVectorAsync_64(handle, n, element_bytes, x, incx, y, incy, stream) &
            bind(c, name="myblasSetVectorAsync_64") result(status)
            import
            type(c_ptr), value :: handle, x, y, stream
            integer(c_int64_t), value :: n, element_bytes, incx, incy
            integer(c_int) :: status
        end function

        function myblasGetVectorAsync(handle, n, element_bytes, x, incx, y, incy, stream) &
            bind(c, name="myblasGetVectorAsync") result(status)
            import
            type(c_ptr), value :: handle, x, y, stream
            integer(c_int), value :: n, element_bytes, incx, incy
            integer(c_int) :: status
        end function

        function myblasGetVectorAsync_64(handle, n, element_bytes, x, incx, y, incy, stream) &
            bind(c, name="myblasGetVectorAsync_64") result(status)
            import
            type(c_ptr), value :: handle, x, y, stream
            integer(c_int64_t), value :: n, element_bytes, incx, incy
            integer(c_int) :: status
        end function

        ! ---- Matrix product ---------------------------------------------------------------------

        function mysgemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="mysgemm") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: transa, transb, m, n, k, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function mysgemm_64(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="mysgemm_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: transa, transb
            integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function mysgemmHost(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="mysgemmHost") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: transa, transb, m, n, k, lda, ldb, ldc
            real(c_float), intent(in) :: alpha, A(lda, *), B(ldb, *), beta
            real(c_float), intent(inout) :: C(ldc, *)
            integer(c_int) :: status
        end function

        function mysgemmHost_64(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, &
            ldc) &
            bind(c, name="mysgemmHost_64") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: transa, transb
            integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
            real(c_float), intent(in) :: alpha, A(lda, *), B(ldb, *), beta
            real(c_float), intent(inout) :: C(ldc, *)
            integer(c_int) :: status
        end function

        function mysgemmStridedBatched(handle, transa, transb, m, n, k, alpha, A, lda, strideA, B, &
            ldb, strideB, beta, C, ldc, strideC, batch_count) &
            bind(c, name="mysgemmStridedBatched") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: transa, transb, m, n, k, lda, ldb, ldc, batch_count
            integer(c_long_long), value :: strideA, strideB, strideC
            integer(c_int) :: status
        end function

        function mysgemmStridedBatched_64(handle, transa, transb, m, n, k, alpha, A, lda, strideA, &
            B, ldb, strideB, beta, C, ldc, strideC, batch_count) &
            bind(c, name="mysgemmStridedBatched_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: transa, transb
            integer(c_int64_t), value :: m, n, k, lda, ldb, ldc, batch_count
            integer(c_long_long), value :: strideA, strideB, strideC
            integer(c_int) :: status
        end function

        function mysgemmBatched(handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, &
            beta, Carray, ldc, batch_count) &
            bind(c, name="mysgemmBatched") result(status)
            import
            type(c_ptr), value :: handle, alpha, Aarray, Barray, beta, Carray
            integer(c_int), value :: transa, transb, m, n, k, lda, ldb, ldc, batch_count
            integer(c_int) :: status
        end function

        function mysgemmBatched_64(handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray, &
            ldb, beta, Carray, ldc, batch_count) &
            bind(c, name="mysgemmBatched_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, Aarray, Barray, beta, Carray
            integer(c_int), value :: transa, transb
            integer(c_int64_t), value :: m, n, k, lda, ldb, ldc, batch_count
            integer(c_int) :: status
        end function

        function mysgemmFused(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, &
            ldc, D, ldd, epilogue) &
            bind(c, name="mysgemmFused") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C, D
            integer(c_int), value :: transa, transb, m, n, k, lda, ldb, ldc, ldd
            type(myblasEpilogue_t), intent(in), optional :: epilogue
            integer(c_int) :: status
        end function

        function mysgemmFused_64(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, &
            ldc, D, ldd, epilogue) &
            bind(c, name="mysgemmFused_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C, D
            integer(c_int), value :: transa, transb
            integer(c_int64_t), value :: m, n, k, lda, ldb, ldc, ldd
            type(myblasEpilogue_t), intent(in), optional :: epilogue
            integer(c_int) :: status
        end function

        function mysgemmFusedStridedBatched(handle, transa, transb, m, n, k, alpha, A, lda, &
            strideA, B, ldb, strideB, beta, C, ldc, strideC, D, ldd, strideD, epilogue, &
            batch_count) &
            bind(c, name="mysgemmFusedStridedBatched") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C, D
            integer(c_int), value :: transa, transb, m, n, k, lda, ldb, ldc, ldd, batch_count
            integer(c_long_long), value :: strideA, strideB, strideC, strideD
            type(myblasEpilogue_t), intent(in), optional :: epilogue
            integer(c_int) :: status
        end function

        function mysgemmFusedStridedBatched_64(handle, transa, transb, m, n, k, alpha, A, lda, &
            strideA, B, ldb, strideB, beta, C, ldc, strideC, D, ldd, strideD, epilogue, &
            batch_count) &
            bind(c, name="mysgemmFusedStridedBatched_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C, D
            integer(c_int), value :: transa, transb
            integer(c_int64_t), value :: m, n, k, lda, ldb, ldc, ldd, batch_count
            integer(c_long_long), value :: strideA, strideB, strideC, strideD
            type(myblasEpilogue_t), intent(in), optional :: epilogue
            integer(c_int) :: status
        end function

        ! ---- Level 3 ----------------------------------------------------------------------------

        function myssyrk(handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc) &
            bind(c, name="myssyrk") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, beta, C
            integer(c_int), value :: uplo, trans, n, k, lda, ldc
            integer(c_int) :: status
        end function

        function myssyrk_64(handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc) &
            bind(c, name="myssyrk_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, beta, C
            integer(c_int), value :: uplo, trans
            integer(c_int64_t), value :: n, k, lda, ldc
            integer(c_int) :: status
        end function

        function myssyrkx(handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="myssyrkx") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: uplo, trans, n, k, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function myssyrkx_64(handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="myssyrkx_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: uplo, trans
            integer(c_int64_t), value :: n, k, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function myssyr2k(handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="myssyr2k") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: uplo, trans, n, k, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function myssyr2k_64(handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="myssyr2k_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: uplo, trans
            integer(c_int64_t), value :: n, k, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function mysgemmtr(handle, uplo, transa, transb, n, k, alpha, A, lda, B, ldb, beta, C, &
            ldc) &
            bind(c, name="mysgemmtr") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: uplo, transa, transb, n, k, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function mysgemmtr_64(handle, uplo, transa, transb, n, k, alpha, A, lda, B, ldb, beta, C, &
            ldc) &
            bind(c, name="mysgemmtr_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: uplo, transa, transb
            integer(c_int64_t), value :: n, k, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function myssymm(handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="myssymm") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: side, uplo, m, n, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function myssymm_64(handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc) &
            bind(c, name="myssymm_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, beta, C
            integer(c_int), value :: side, uplo
            integer(c_int64_t), value :: m, n, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function mystrmm(handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C, ldc) &
            bind(c, name="mystrmm") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, C
            integer(c_int), value :: side, uplo, trans, diag, m, n, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function mystrmm_64(handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C, ldc) &
            bind(c, name="mystrmm_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B, C
            integer(c_int), value :: side, uplo, trans, diag
            integer(c_int64_t), value :: m, n, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function mystrsm(handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb) &
            bind(c, name="mystrsm") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B
            integer(c_int), value :: side, uplo, trans, diag, m, n, lda, ldb
            integer(c_int) :: status
        end function

        function mystrsm_64(handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb) &
            bind(c, name="mystrsm_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B
            integer(c_int), value :: side, uplo, trans, diag
            integer(c_int64_t), value :: m, n, lda, ldb
            integer(c_int) :: status
        end function

        function mystrsmBatched(handle, side, uplo, trans, diag, m, n, alpha, Aarray, lda, Barray, &
            ldb, batch_count) &
            bind(c, name="mystrsmBatched") result(status)
            import
            type(c_ptr), value :: handle, alpha, Aarray, Barray
            integer(c_int), value :: side, uplo, trans, diag, m, n, lda, ldb, batch_count
            integer(c_int) :: status
        end function

        function mystrsmBatched_64(handle, side, uplo, trans, diag, m, n, alpha, Aarray, lda, &
            Barray, ldb, batch_count) &
            bind(c, name="mystrsmBatched_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, Aarray, Barray
            integer(c_int), value :: side, uplo, trans, diag
            integer(c_int64_t), value :: m, n, lda, ldb, batch_count
            integer(c_int) :: status
        end function

        function mystrsmStridedBatched(handle, side, uplo, trans, diag, m, n, alpha, A, lda, &
            strideA, B, ldb, strideB, batch_count) &
            bind(c, name="mystrsmStridedBatched") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B
            integer(c_int), value :: side, uplo, trans, diag, m, n, lda, ldb, batch_count
            integer(c_long_long), value :: strideA, strideB
            integer(c_int) :: status
        end function

        function mystrsmStridedBatched_64(handle, side, uplo, trans, diag, m, n, alpha, A, lda, &
            strideA, B, ldb, strideB, batch_count) &
            bind(c, name="mystrsmStridedBatched_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, B
            integer(c_int), value :: side, uplo, trans, diag
            integer(c_int64_t), value :: m, n, lda, ldb, batch_count
            integer(c_long_long), value :: strideA, strideB
            integer(c_int) :: status
        end function

        function mysgemmGroupedBatched(handle, transa_array, transb_array, m_array, n_array, &
            k_array, alpha_array, Aarray, lda_array, Barray, ldb_array, beta_array, Carray, &
            ldc_array, group_count, group_size) &
            bind(c, name="mysgemmGroupedBatched") result(status)
            import
            type(c_ptr), value :: handle, transa_array, transb_array, m_array, n_array, k_array, &
                alpha_array, Aarray, lda_array, Barray, ldb_array, beta_array, Carray, ldc_array, &
                group_size
            integer(c_int), value :: group_count
            integer(c_int) :: status
        end function

        function mysgemmGroupedBatched_64(handle, transa_array, transb_array, m_array, n_array, &
            k_array, alpha_array, Aarray, lda_array, Barray, ldb_array, beta_array, Carray, &
            ldc_array, group_count, group_size) &
            bind(c, name="mysgemmGroupedBatched_64") result(status)
            import
            type(c_ptr), value :: handle, transa_array, transb_array, m_array, n_array, k_array, &
                alpha_array, Aarray, lda_array, Barray, ldb_array, beta_array, Carray, ldc_array, &
                group_size
            integer(c_int64_t), value :: group_count
            integer(c_int) :: status
        end function

        ! ---- Transpose --------------------------------------------------------------------------

        function mytranspose(handle, m, n, A, lda, B, ldb) &
            bind(c, name="mytranspose") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int), value :: m, n, lda, ldb
            integer(c_int) :: status
        end function

        function mytranspose_64(handle, m, n, A, lda, B, ldb) &
            bind(c, name="mytranspose_64") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int64_t), value :: m, n, lda, ldb
            integer(c_int) :: status
        end function

        function mytransposeEx(handle, m, n, element_bytes, A, lda, B, ldb) &
            bind(c, name="mytransposeEx") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int), value :: m, n, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function mytransposeEx_64(handle, m, n, element_bytes, A, lda, B, ldb) &
            bind(c, name="mytransposeEx_64") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int64_t), value :: m, n, element_bytes, lda, ldb
            integer(c_int) :: status
        end function

        function mytransposeStridedBatched(handle, m, n, A, lda, strideA, B, ldb, strideB, &
            batch_count) &
            bind(c, name="mytransposeStridedBatched") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int), value :: m, n, lda, ldb, batch_count
            integer(c_long_long), value :: strideA, strideB
            integer(c_int) :: status
        end function

        function mytransposeStridedBatched_64(handle, m, n, A, lda, strideA, B, ldb, strideB, &
            batch_count) &
            bind(c, name="mytransposeStridedBatched_64") result(status)
            import
            type(c_ptr), value :: handle, A, B
            integer(c_int64_t), value :: m, n, lda, ldb, batch_count
            integer(c_long_long), value :: strideA, strideB
            integer(c_int) :: status
        end function

        function mysgeam(handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc) &
            bind(c, name="mysgeam") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, beta, B, C
            integer(c_int), value :: transa, transb, m, n, lda, ldb, ldc
            integer(c_int) :: status
        end function

        function mysgeam_64(handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc) &
            bind(c, name="mysgeam_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, beta, B, C
            integer(c_int), value :: transa, transb
            integer(c_int64_t), value :: m, n, lda, ldb, ldc
            integer(c_int) :: status
        end function

        ! ---- Sums -------------------------------------------------------------------------------

        function mysum(handle, n, x, incx, result) &
            bind(c, name="mysum") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int), value :: n, incx
            integer(c_int) :: status
        end function

        function mysum_64(handle, n, x, incx, result) &
            bind(c, name="mysum_64") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int64_t), value :: n, incx
            integer(c_int) :: status
        end function

        function mysasum(handle, n, x, incx, result) &
            bind(c, name="mysasum") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int), value :: n, incx
            integer(c_int) :: status
        end function

        function mysasum_64(handle, n, x, incx, result) &
            bind(c, name="mysasum_64") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int64_t), value :: n, incx
            integer(c_int) :: status
        end function

        function mydsum(handle, n, x, incx, result) &
            bind(c, name="mydsum") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int), value :: n, incx
            integer(c_int) :: status
        end function

        function mydsum_64(handle, n, x, incx, result) &
            bind(c, name="mydsum_64") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int64_t), value :: n, incx
            integer(c_int) :: status
        end function

        function mysgemsum(handle, op, m, n, A, lda, result) &
            bind(c, name="mysgemsum") result(status)
            import
            type(c_ptr), value :: handle, A, result
            integer(c_int), value :: op, m, n, lda
            integer(c_int) :: status
        end function

        function mysgemsum_64(handle, op, m, n, A, lda, result) &
            bind(c, name="mysgemsum_64") result(status)
            import
            type(c_ptr), value :: handle, A, result
            integer(c_int), value :: op
            integer(c_int64_t), value :: m, n, lda
            integer(c_int) :: status
        end function

        function myhistogram256(handle, n, x, counts) &
            bind(c, name="myhistogram256") result(status)
            import
            type(c_ptr), value :: handle, x, counts
            integer(c_int), value :: n
            integer(c_int) :: status
        end function

        function myhistogram256_64(handle, n, x, counts) &
            bind(c, name="myhistogram256_64") result(status)
            import
            type(c_ptr), value :: handle, x, counts
            integer(c_int64_t), value :: n
            integer(c_int) :: status
        end function

        ! ---- Vectors ----------------------------------------------------------------------------

        function mysaxpy(handle, n, alpha, x, incx, y, incy) &
            bind(c, name="mysaxpy") result(status)
            import
            type(c_ptr), value :: handle, alpha, x, y
            integer(c_int), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysaxpy_64(handle, n, alpha, x, incx, y, incy) &
            bind(c, name="mysaxpy_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, x, y
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function myscopy(handle, n, x, incx, y, incy) &
            bind(c, name="myscopy") result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function myscopy_64(handle, n, x, incx, y, incy) &
            bind(c, name="myscopy_64") result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function

        ! ---- Level 1 ----------------------------------------------------------------------------

        function mysdot(handle, n, x, incx, y, incy, result) &
            bind(c, name="mysdot") result(status)
            import
            type(c_ptr), value :: handle, x, y, result
            integer(c_int), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysdot_64(handle, n, x, incx, y, incy, result) &
            bind(c, name="mysdot_64") result(status)
            import
            type(c_ptr), value :: handle, x, y, result
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysdsdot(handle, n, sb, x, incx, y, incy, result) &
            bind(c, name="mysdsdot") result(status)
            import
            type(c_ptr), value :: handle, sb, x, y, result
            integer(c_int), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysdsdot_64(handle, n, sb, x, incx, y, incy, result) &
            bind(c, name="mysdsdot_64") result(status)
            import
            type(c_ptr), value :: handle, sb, x, y, result
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysnrm2(handle, n, x, incx, result) &
            bind(c, name="mysnrm2") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int), value :: n, incx
            integer(c_int) :: status
        end function

        function mysnrm2_64(handle, n, x, incx, result) &
            bind(c, name="mysnrm2_64") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int64_t), value :: n, incx
            integer(c_int) :: status
        end function

        function myisamax(handle, n, x, incx, result) &
            bind(c, name="myisamax") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int), value :: n, incx
            integer(c_int) :: status
        end function

        function myisamax_64(handle, n, x, incx, result) &
            bind(c, name="myisamax_64") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int64_t), value :: n, incx
            integer(c_int) :: status
        end function

        function myisamin(handle, n, x, incx, result) &
            bind(c, name="myisamin") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int), value :: n, incx
            integer(c_int) :: status
        end function

        function myisamin_64(handle, n, x, incx, result) &
            bind(c, name="myisamin_64") result(status)
            import
            type(c_ptr), value :: handle, x, result
            integer(c_int64_t), value :: n, incx
            integer(c_int) :: status
        end function

        function mysscal(handle, n, alpha, x, incx) &
            bind(c, name="mysscal") result(status)
            import
            type(c_ptr), value :: handle, alpha, x
            integer(c_int), value :: n, incx
            integer(c_int) :: status
        end function

        function mysscal_64(handle, n, alpha, x, incx) &
            bind(c, name="mysscal_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, x
            integer(c_int64_t), value :: n, incx
            integer(c_int) :: status
        end function

        function mysswap(handle, n, x, incx, y, incy) &
            bind(c, name="mysswap") result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysswap_64(handle, n, x, incx, y, incy) &
            bind(c, name="mysswap_64") result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysrot(handle, n, x, incx, y, incy, c, s) &
            bind(c, name="mysrot") result(status)
            import
            type(c_ptr), value :: handle, x, y, c, s
            integer(c_int), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysrot_64(handle, n, x, incx, y, incy, c, s) &
            bind(c, name="mysrot_64") result(status)
            import
            type(c_ptr), value :: handle, x, y, c, s
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysrotm(handle, n, x, incx, y, incy, param) &
            bind(c, name="mysrotm") result(status)
            import
            type(c_ptr), value :: handle, x, y, param
            integer(c_int), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysrotm_64(handle, n, x, incx, y, incy, param) &
            bind(c, name="mysrotm_64") result(status)
            import
            type(c_ptr), value :: handle, x, y, param
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function

        function mysrotg(handle, a, b, c, s) &
            bind(c, name="mysrotg") result(status)
            import
            type(c_ptr), value :: handle, a, b, c, s
            integer(c_int) :: status
        end function

        function mysrotmg(handle, d1, d2, x1, y1, param) &
            bind(c, name="mysrotmg") result(status)
            import
            type(c_ptr), value :: handle, d1, d2, x1, y1, param
            integer(c_int) :: status
        end function

        ! ---- Level 2 ----------------------------------------------------------------------------

        function mysgemv(handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy) &
            bind(c, name="mysgemv") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, x, beta, y
            integer(c_int), value :: trans, m, n, lda, incx, incy
            integer(c_int) :: status
        end function

        function mysgemv_64(handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy) &
            bind(c, name="mysgemv_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, x, beta, y
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            integer(c_int) :: status
        end function

        function mysgemvStridedBatched(handle, trans, m, n, alpha, A, lda, strideA, x, incx, &
            stridex, beta, y, incy, stridey, batch_count) &
            bind(c, name="mysgemvStridedBatched") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, x, beta, y
            integer(c_int), value :: trans, m, n, lda, incx, incy, batch_count
            integer(c_long_long), value :: strideA, stridex, stridey
            integer(c_int) :: status
        end function

        function mysgemvStridedBatched_64(handle, trans, m, n, alpha, A, lda, strideA, x, incx, &
            stridex, beta, y, incy, stridey, batch_count) &
            bind(c, name="mysgemvStridedBatched_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, x, beta, y
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy, batch_count
            integer(c_long_long), value :: strideA, stridex, stridey
            integer(c_int) :: status
        end function

        function mysgemvBatched(handle, trans, m, n, alpha, Aarray, lda, xarray, incx, beta, &
            yarray, incy, batch_count) &
            bind(c, name="mysgemvBatched") result(status)
            import
            type(c_ptr), value :: handle, alpha, Aarray, xarray, beta, yarray
            integer(c_int), value :: trans, m, n, lda, incx, incy, batch_count
            integer(c_int) :: status
        end function

        function mysgemvBatched_64(handle, trans, m, n, alpha, Aarray, lda, xarray, incx, beta, &
            yarray, incy, batch_count) &
            bind(c, name="mysgemvBatched_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, Aarray, xarray, beta, yarray
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy, batch_count
            integer(c_int) :: status
        end function

        function mysger(handle, m, n, alpha, x, incx, y, incy, A, lda) &
            bind(c, name="mysger") result(status)
            import
            type(c_ptr), value :: handle, alpha, x, y, A
            integer(c_int), value :: m, n, incx, incy, lda
            integer(c_int) :: status
        end function

        function mysger_64(handle, m, n, alpha, x, incx, y, incy, A, lda) &
            bind(c, name="mysger_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, x, y, A
            integer(c_int64_t), value :: m, n, incx, incy, lda
            integer(c_int) :: status
        end function

        function myssymv(handle, uplo, n, alpha, A, lda, x, incx, beta, y, incy) &
            bind(c, name="myssymv") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, x, beta, y
            integer(c_int), value :: uplo, n, lda, incx, incy
            integer(c_int) :: status
        end function

        function myssymv_64(handle, uplo, n, alpha, A, lda, x, incx, beta, y, incy) &
            bind(c, name="myssymv_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, A, x, beta, y
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            integer(c_int) :: status
        end function

        function myssyr(handle, uplo, n, alpha, x, incx, A, lda) &
            bind(c, name="myssyr") result(status)
            import
            type(c_ptr), value :: handle, alpha, x, A
            integer(c_int), value :: uplo, n, incx, lda
            integer(c_int) :: status
        end function

        function myssyr_64(handle, uplo, n, alpha, x, incx, A, lda) &
            bind(c, name="myssyr_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, x, A
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, incx, lda
            integer(c_int) :: status
        end function

        function myssyr2(handle, uplo, n, alpha, x, incx, y, incy, A, lda) &
            bind(c, name="myssyr2") result(status)
            import
            type(c_ptr), value :: handle, alpha, x, y, A
            integer(c_int), value :: uplo, n, incx, incy, lda
            integer(c_int) :: status
        end function

        function myssyr2_64(handle, uplo, n, alpha, x, incx, y, incy, A, lda) &
            bind(c, name="myssyr2_64") result(status)
            import
            type(c_ptr), value :: handle, alpha, x, y, A
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, incx, incy, lda
            integer(c_int) :: status
        end function

        function mystrmv(handle, uplo, trans, diag, n, A, lda, x, incx) &
            bind(c, name="mystrmv") result(status)
            import
            type(c_ptr), value :: handle, A, x
            integer(c_int), value :: uplo, trans, diag, n, lda, incx
            integer(c_int) :: status
        end function

        function mystrmv_64(handle, uplo, trans, diag, n, A, lda, x, incx) &
            bind(c, name="mystrmv_64") result(status)
            import
            type(c_ptr), value :: handle, A, x
            integer(c_int), value :: uplo, trans, diag
            integer(c_int64_t), value :: n, lda, incx
            integer(c_int) :: status
        end function

        function mystrsv(handle, uplo, trans, diag, n, A, lda, x, incx) &
            bind(c, name="mystrsv") result(status)
            import
            type(c_ptr), value :: handle, A, x
            integer(c_int), value :: uplo, trans, diag, n, lda, incx
            integer(c_int) :: status
        end function

        function mystrsv_64(handle, uplo, trans, diag, n, A, lda, x, incx) &
            bind(c, name="mystrsv_64") result(status)
            import
            type(c_ptr), value :: handle, A, x
            integer(c_int), value :: uplo, trans, diag
            integer(c_int64_t), value :: n, lda, incx
            integer(c_int) :: status
        end function

        ! ---- Kernels ----------------------------------------------------------------------------

        function myblasGetKernelCount(backend, routine, count) &
            bind(c, name="myblasGetKernelCount") result(status)
            import
            integer(c_int), value :: backend, routine
            integer(c_int), intent(out) :: count
            integer(c_int) :: status
        end function

        function myblasGetKernelInfo(backend, routine, index, info) &
            bind(c, name="myblasGetKernelInfo") result(status)
            import
            integer(c_int), value :: backend, routine, index
            type(myblasKernelInfo_t), intent(inout) :: info
            integer(c_int) :: status
        end function

        function myblasForceKernel(handle, routine, name) &
            bind(c, name="myblasForceKernel") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: routine
            character(kind=c_char), intent(in), optional :: name(*)
            integer(c_int) :: status
        end function

        function myblasSelectKernel(handle, call, name) &
            bind(c, name="myblasSelectKernel") result(status)
            import
            type(c_ptr), value :: handle
            type(myblasCall_t), intent(in) :: call
            type(c_ptr), intent(out) :: name
            integer(c_int) :: status
        end function

        function myblasGetDevice(handle, device) &
            bind(c, name="myblasGetDevice") result(status)
            import
            type(c_ptr), value :: handle
            type(myblasDevice_t), intent(inout) :: device
            integer(c_int) :: status
        end function

        function myblasSelectKernelOn(backend, device, workspace_bytes, call, name) &
            bind(c, name="myblasSelectKernelOn") result(status)
            import
            integer(c_int), value :: backend
            type(myblasDevice_t), intent(in), optional :: device
            integer(c_size_t), value :: workspace_bytes
            type(myblasCall_t), intent(in) :: call
            type(c_ptr), intent(out) :: name
            integer(c_int) :: status
        end function

        function myblasGetKernelEstimate(handle, call, index, estimate) &
            bind(c, name="myblasGetKernelEstimate") result(status)
            import
            type(c_ptr), value :: handle
            type(myblasCall_t), intent(in) :: call
            integer(c_int), value :: index
            type(myblasKernelEstimate_t), intent(inout) :: estimate
            integer(c_int) :: status
        end function

        function myblasGetKernelEstimateOn(backend, device, workspace_bytes, call, index, &
            estimate) &
            bind(c, name="myblasGetKernelEstimateOn") result(status)
            import
            integer(c_int), value :: backend, index
            type(myblasDevice_t), intent(in), optional :: device
            integer(c_size_t), value :: workspace_bytes
            type(myblasCall_t), intent(in) :: call
            type(myblasKernelEstimate_t), intent(inout) :: estimate
            integer(c_int) :: status
        end function

        function myblasGetLastKernel(handle, routine, name) &
            bind(c, name="myblasGetLastKernel") result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: routine
            type(c_ptr), intent(out) :: name
            integer(c_int) :: status
        end function
    end interface
end module myblas
