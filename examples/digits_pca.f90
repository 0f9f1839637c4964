! Principal components of 1,797 handwritten digits: which patterns of pixels tell them apart, and
! how much of the variance each explains.
!
! With one image a row in A (n x 64), as a table of data has it:
!     X = A^T                        mytranspose: one image a column
!     mean = X 1 / n                 mysgemm
!     X = X - mean 1^T               mysgemm, a product of rank 1
!     S = X X^T / (n - 1)            mysgemm: the covariance of the pixels
!     total variance = trace S       mysum, along the diagonal
! The eigenvectors of S, from LAPACK, are the components; those of the most variance are the columns
! of V, and the images in terms of them are
!     Y = X^T V                      mysgemmHost, on arrays of the program
! Memory and copies go through the library, so the program runs unchanged on a GPU and without one.
! OpenBLAS computes the same covariance, and the two must agree within what rounding allows.
!
!     gfortran digits_pca.f90 -o digits_pca $(pkg-config --cflags --libs myblas openblas)
!     ./digits_pca data/digits.csv
program digits_pca
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use myblas
    implicit none

    integer(c_int), parameter :: images = 1797, pixels = 64, components = 5
    integer(c_size_t), parameter :: real_bytes = 4
    real(c_float), parameter :: unit_roundoff = 2.0**(-24)

    real(c_float), target :: a(images, pixels), x(pixels, images), ones(images)
    real(c_float), target :: covariance(pixels, pixels), reference(pixels, pixels)
    real(c_float) :: magnitude(pixels, pixels), centred(pixels, images), y(images, components)
    real(c_float), target :: zero = 0, one = 1, minus_one = -1, per_image = 1.0 / images
    real(c_float), target :: per_freedom = 1.0 / (images - 1)
    real(c_float), target :: total
    real(c_float) :: variance(pixels), work(64 * pixels), error, share
    integer :: label, row, unit, info, component, bound, backend_id, length
    character(len=:), allocatable :: path
    type(c_ptr) :: handle, dev_a, dev_x, dev_ones, dev_mean, dev_covariance

    interface
        subroutine sgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
            character, intent(in) :: transa, transb
            integer, intent(in) :: m, n, k, lda, ldb, ldc
            real, intent(in) :: alpha, beta, a(lda, *), b(ldb, *)
            real, intent(inout) :: c(ldc, *)
        end subroutine
        subroutine ssyev(jobz, uplo, n, a, lda, w, work, lwork, info)
            character, intent(in) :: jobz, uplo
            integer, intent(in) :: n, lda, lwork
            real, intent(inout) :: a(lda, *)
            real, intent(out) :: w(*), work(*)
            integer, intent(out) :: info
        end subroutine
    end interface

    call get_command_argument(1, length=length)
    allocate(character(len=length) :: path)
    call get_command_argument(1, path)
    if (length == 0) path = 'data/digits.csv'
    open(newunit=unit, file=path, status='old', action='read', iostat=info)
    if (info /= 0) call fail('usage: digits_pca data/digits.csv')
    do row = 1, images
        read(unit, *) a(row, :), label
    end do
    close(unit)
    ones = 1

    call check(myblasCreate(handle), 'myblasCreate')
    call check(myblasGetBackend(handle, backend_id), 'myblasGetBackend')
    dev_a = allocate_floats(images * pixels)
    dev_x = allocate_floats(images * pixels)
    dev_ones = allocate_floats(images)
    dev_mean = allocate_floats(pixels)
    dev_covariance = allocate_floats(pixels * pixels)
    call check(myblasSetMatrix(handle, images, pixels, 4, c_loc(a), images, dev_a, images), &
        'myblasSetMatrix')
    call check(myblasSetVector(handle, images, 4, c_loc(ones), 1, dev_ones, 1), 'myblasSetVector')

    call check(mytranspose(handle, images, pixels, dev_a, images, dev_x, pixels), 'mytranspose')
    call check(mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_N, pixels, 1, images, c_loc(per_image), &
        dev_x, pixels, dev_ones, images, c_loc(zero), dev_mean, pixels), 'mysgemm')
    call check(mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_T, pixels, images, 1, c_loc(minus_one), &
        dev_mean, pixels, dev_ones, images, c_loc(one), dev_x, pixels), 'mysgemm')
    call check(mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_T, pixels, pixels, images, &
        c_loc(per_freedom), dev_x, pixels, dev_x, pixels, c_loc(zero), dev_covariance, pixels), &
        'mysgemm')
    call check(mysum(handle, pixels, dev_covariance, pixels + 1, c_loc(total)), 'mysum')

    call check(myblasGetMatrix(handle, pixels, images, 4, dev_x, pixels, c_loc(x), pixels), &
        'myblasGetMatrix')
    call check(myblasGetMatrix(handle, pixels, pixels, 4, dev_covariance, pixels, &
        c_loc(covariance), pixels), 'myblasGetMatrix')
    call check(myblasFree(handle, dev_a), 'myblasFree')
    call check(myblasFree(handle, dev_x), 'myblasFree')
    call check(myblasFree(handle, dev_ones), 'myblasFree')
    call check(myblasFree(handle, dev_mean), 'myblasFree')
    call check(myblasFree(handle, dev_covariance), 'myblasFree')

    ! No pixel exceeds 16, and the means are sums of 1797 products.
    if (.not. all(abs(x - (transpose(a) - spread(sum(a, 1) / images, 2, images))) &
        <= (images + 4) * unit_roundoff * 16)) call fail('WRONG: the centred images')

    ! |S - exact| <= (n + 4) u |X| |X|^T / (n - 1), for both libraries.
    call sgemm('N', 'T', pixels, pixels, images, per_freedom, x, pixels, x, pixels, zero, &
        reference, pixels)
    centred = x
    x = abs(x)
    call sgemm('N', 'T', pixels, pixels, images, per_freedom, x, pixels, x, pixels, zero, &
        magnitude, pixels)
    bound = 2 * (images + 4)
    error = maxval(abs(covariance - reference) / (unit_roundoff * max(magnitude, tiny(one))))

    call ssyev('V', 'U', pixels, covariance, pixels, variance, work, size(work), info)
    if (info /= 0) call fail('WRONG: the eigenvalues were not found')

    ! Eigenvalues ascend: the last columns are V.
    call check(mysgemmHost(handle, MYBLAS_OP_T, MYBLAS_OP_N, images, components, pixels, one, &
        centred, pixels, covariance(:, pixels - components + 1:), pixels, zero, y, images), &
        'mysgemmHost')
    call check(myblasDestroy(handle), 'myblasDestroy')

    print '(a)', 'principal components of handwritten digits'
    print '(2a)', '  backend                 ', &
        merge('cuda', 'host', backend_id == MYBLAS_BACKEND_CUDA)
    share = 0
    do component = 1, components
        share = share + 100 * variance(pixels + 1 - component) / total
        print '(a, i0, a, f5.1, a, f5.1, a)', '  component ', component, '            ', &
            100 * variance(pixels + 1 - component) / total, &
            ' % of the variance, together ', share, ' %'
    end do
    print '(a, f6.2, a, i0, a)', '  difference to OpenBLAS ', error, ' u, at most ', bound, &
        ' u allowed (u = 2^-24)'

    if (.not. error <= bound) call fail('WRONG: the covariance differs from that of OpenBLAS')
    if (.not. abs(sum(variance) - total) <= 1e-4 * total) &
        call fail('WRONG: the eigenvalues do not add up to the total variance')
    if (.not. all(abs(sum(y**2, 1) / (images - 1) - variance(pixels - components + 1:)) &
        <= 1e-4 * total)) call fail('WRONG: the images vary otherwise along the components')

contains

    function allocate_floats(count) result(memory)
        integer, intent(in) :: count
        type(c_ptr) :: memory
        call check(myblasMalloc(handle, memory, real_bytes * count), 'myblasMalloc')
    end function

    subroutine check(status, what)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: what
        if (status == MYBLAS_STATUS_SUCCESS) return
        write(error_unit, '(2a, i0)') what, ': status ', status
        error stop
    end subroutine

    subroutine fail(message)
        character(len=*), intent(in) :: message
        write(error_unit, '(a)') message
        error stop
    end subroutine
end program
