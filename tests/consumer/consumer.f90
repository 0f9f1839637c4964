! A program of someone who has the installed library: every routine once on the host backend, a call
! described, a kernel forced.
program consumer
    use, intrinsic :: iso_c_binding
    use myblas
    implicit none

    real(c_float), target :: a(2, 3) = reshape([1., 4., 2., 5., 3., 6.], [2, 3])
    real(c_float), target :: b(3, 2) = 0, c(2, 2) = 1, d(2, 3) = 0, total = 0, alpha = 2, beta = 1
    real(c_double), target :: x(3) = [1d0, -2d0, 4d0], double_total = 0
    real(c_float), target :: sums(2) = 0, legs(2) = [3., 4.], x_single(3) = [1., -1., 2.]
    integer(c_int), target :: number = 0
    integer(c_int8_t), target :: bytes(3) = [7_c_int8_t, -1_c_int8_t, 7_c_int8_t]
    integer(c_int64_t), target :: counts(256) = -1
    type(myblasCall_t) :: call
    type(myblasEpilogue_t) :: epilogue
    type(myblasKernelInfo_t) :: info
    type(myblasKernelEstimate_t) :: estimate
    type(c_ptr) :: handle, kernel
    integer(c_int) :: version, count

    call expect(c_sizeof(call) == call%size_bytes, 'size of myblasCall_t')
    call expect(c_sizeof(epilogue) == epilogue%size_bytes, 'size of myblasEpilogue_t')
    call expect(c_sizeof(info) == info%size_bytes, 'size of myblasKernelInfo_t')
    call expect(c_sizeof(estimate) == estimate%size_bytes, 'size of myblasKernelEstimate_t')

    call succeed(myblasCreateOn(handle, MYBLAS_BACKEND_HOST))
    call succeed(myblasGetVersion(handle, version))
    call expect(version == 10000 * MYBLAS_VERSION_MAJOR + 100 * MYBLAS_VERSION_MINOR &
        + MYBLAS_VERSION_PATCH, 'version')

    call succeed(mytranspose(handle, 2, 3, c_loc(a), 2, c_loc(b), 3))
    call expect(all(b == transpose(a)), 'mytranspose')
    call succeed(mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_N, 2, 2, 3, c_loc(alpha), c_loc(a), &
        2, c_loc(b), 3, c_loc(beta), c_loc(c), 2))
    call expect(all(c == 2 * matmul(a, b) + 1), 'mysgemm')
    call succeed(mysgemm_64(handle, MYBLAS_OP_T, MYBLAS_OP_T, 2_c_int64_t, 2_c_int64_t, &
        3_c_int64_t, c_loc(alpha), c_loc(b), 3_c_int64_t, c_loc(a), 2_c_int64_t, c_loc(beta), &
        c_loc(c), 2_c_int64_t))
    call expect(all(c == 4 * matmul(a, b) + 1), 'mysgemm_64')
    call succeed(mysgemmFused(handle, MYBLAS_OP_N, MYBLAS_OP_N, 2, 2, 3, c_loc(alpha), c_loc(a), &
        2, c_loc(b), 3, c_loc(beta), c_loc(c), 2, c_loc(c), 2))
    call expect(all(c == 6 * matmul(a, b) + 1), 'mysgemmFused')
    epilogue%activation = MYBLAS_ACTIVATION_RELU
    epilogue%bias = c_loc(c)
    c = -100
    call succeed(mysgemmFused(handle, MYBLAS_OP_N, MYBLAS_OP_N, 2, 2, 3, c_loc(alpha), c_loc(a), &
        2, c_loc(b), 3, c_loc(beta), c_loc(c), 2, c_loc(d), 2, epilogue))
    call expect(all(d(:, 1:2) == max(2 * matmul(a, b) - 200, 0.)), 'mysgemmFused with an epilogue')
    d = 0
    c = 1
    call succeed(mysgemmHost(handle, MYBLAS_OP_N, MYBLAS_OP_N, 2, 2, 3, alpha, a, 2, b, 3, beta, &
        c, 2))
    call expect(all(c == 2 * matmul(a, b) + 1), 'mysgemmHost')
    call succeed(mysgemmHost_64(handle, MYBLAS_OP_T, MYBLAS_OP_T, 2_c_int64_t, 2_c_int64_t, &
        3_c_int64_t, alpha, b, 3_c_int64_t, a, 2_c_int64_t, beta, c, 2_c_int64_t))
    call expect(all(c == 4 * matmul(a, b) + 1), 'mysgemmHost_64')
    call succeed(mysgeam(handle, MYBLAS_OP_N, MYBLAS_OP_T, 2, 3, c_loc(alpha), c_loc(a), 2, &
        c_loc(beta), c_loc(b), 3, c_loc(d), 2))
    call expect(all(d == 3 * a), 'mysgeam')
    call succeed(mysum(handle, 6, c_loc(a), 1, c_loc(total)))
    call expect(total == 21, 'mysum')
    call succeed(mydsum(handle, 3, c_loc(x), 1, c_loc(double_total)))
    call expect(double_total == 3, 'mydsum')
    call succeed(mysgemsum(handle, MYBLAS_OP_N, 2, 3, c_loc(a), 2, c_loc(sums)))
    call expect(all(sums == sum(a, dim=2)), 'mysgemsum')
    call succeed(myhistogram256(handle, 3, c_loc(bytes), c_loc(counts)))
    call expect(counts(8) == 2 .and. counts(256) == 1 .and. sum(counts) == 3, 'myhistogram256')
    call succeed(mysaxpy(handle, 6, c_loc(alpha), c_loc(a), 1, c_loc(d), 1))
    call expect(all(d == 5 * a), 'mysaxpy')
    call succeed(myscopy(handle, 6, c_loc(a), 1, c_loc(d), 1))
    call expect(all(d == a), 'myscopy')
    call succeed(mysdot(handle, 6, c_loc(a), 1, c_loc(d), 1, c_loc(total)))
    call expect(total == 91, 'mysdot')
    call succeed(mysnrm2_64(handle, 4_c_int64_t, c_loc(a), 0_c_int64_t, c_loc(total)))
    call expect(total == 2, 'mysnrm2_64')
    call succeed(myisamax(handle, 6, c_loc(a), 1, c_loc(number)))
    call expect(number == 6, 'myisamax')
    call succeed(mysscal(handle, 6, c_loc(alpha), c_loc(d), 1))
    call succeed(mysswap(handle, 6, c_loc(a), 1, c_loc(d), 1))
    call expect(all(a == 2 * d), 'mysscal, mysswap')
    call succeed(mysswap(handle, 6, c_loc(a), 1, c_loc(d), 1))
    call succeed(mysgemv(handle, MYBLAS_OP_N, 2, 3, c_loc(beta), c_loc(a), 2, c_loc(x_single), 1, &
        c_loc(beta), c_loc(sums), 1))
    call expect(all(sums == sum(a, dim=2) + matmul(a, x_single)), 'mysgemv')
    sums = [1., 2.]
    call succeed(mystrsv(handle, MYBLAS_FILL_MODE_UPPER, MYBLAS_OP_T, MYBLAS_DIAG_UNIT, 2, &
        c_loc(a), 2, c_loc(sums), 1))
    call expect(all(sums == [1., 0.]), 'mystrsv')
    call succeed(mysrotg(handle, c_loc(legs(1)), c_loc(legs(2)), c_loc(c(1, 1)), c_loc(c(2, 1))))
    call expect(legs(1) == 5 .and. c(1, 1) == 0.6 .and. c(2, 1) == 0.8, 'mysrotg')

    call%routine = MYBLAS_ROUTINE_SGEMM
    call%m = 2; call%n = 2; call%k = 3
    call%lda = 2; call%ldb = 3; call%ldc = 2
    call succeed(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, 'reference' // c_null_char))
    call succeed(myblasSelectKernel(handle, call, kernel))
    call expect(text(kernel) == 'reference', 'myblasSelectKernel')
    call succeed(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM))
    call expect(myblasForceKernel(handle, MYBLAS_ROUTINE_SGEMM, 'none' // c_null_char) &
        == MYBLAS_STATUS_INVALID_VALUE, 'myblasForceKernel of an unknown kernel')
    call succeed(myblasGetKernelCount(MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SGEMM, count))
    call succeed(myblasGetKernelInfo(MYBLAS_BACKEND_HOST, MYBLAS_ROUTINE_SGEMM, 0, info))
    call expect(count > 1 .and. text(info%name) == 'reference', 'myblasGetKernelInfo')
    call succeed(myblasGetKernelEstimate(handle, call, 0, estimate))
    call expect(estimate%accepted == 1, 'myblasGetKernelEstimate')
    call expect(text(myblasGetStatusName(MYBLAS_STATUS_SUCCESS)) == 'MYBLAS_STATUS_SUCCESS', &
        'myblasGetStatusName')
    call succeed(myblasDestroy(handle))

contains

    subroutine expect(condition, what)
        logical, intent(in) :: condition
        character(len=*), intent(in) :: what
        if (condition) return
        print '(2a)', 'wrong: ', what
        error stop
    end subroutine

    subroutine succeed(status)
        integer(c_int), intent(in) :: status
        call expect(status == MYBLAS_STATUS_SUCCESS, 'a status')
    end subroutine

    ! The characters of a C string.
    function text(string)
        type(c_ptr), intent(in) :: string
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: characters(:)
        integer :: i
        call c_f_pointer(string, characters, [64])
        text = ''
        do i = 1, size(characters)
            if (characters(i) == c_null_char) exit
            text = text // characters(i)
        end do
    end function
end program
