! Reads handwritten digits by ridge regression: the least squares fit of each digit's indicator (1
! where an image shows it, else -1) by 512 features of 1,200 images, tried on 597 others.
!
! The features are cosines of random projections, phi(x) = sqrt(2 / 512) cos(W^T x + b), which stand
! for a Gaussian kernel (Rahimi and Recht, Random Features for Large-Scale Kernel Machines, 2007).
! With one image's features in each column of F, and its indicators in each row of Y:
!     S = F F^T + lambda I    myssyrk: the normal matrix; one triangle is enough
!     S = L L^T               Cholesky's factorisation in blocks of 64 columns: the block on the
!                             diagonal by LAPACK on the host, the part below it by mystrsm, the part
!                             right of it by myssyrk
!     L L^T X = F Y           mystrsm, for the right-hand sides of all digits at once
!     L Z = F                 mystrsm with 1,200 right-hand sides. A fit without one image gives it
!                             (F^T X - h Y) / (1 - h); h is the squared length of its column of Z
! Memory and copies go through the library, so the program runs unchanged on a GPU and without one.
! The solution must fit S within what rounding allows, and OpenBLAS's LAPACK must find the same.
!
!     gfortran digits_ridge.f90 -o digits_ridge $(pkg-config --cflags --libs myblas openblas)
!     ./digits_ridge data/digits.csv
program digits_ridge
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use myblas
    implicit none

    integer(c_int), parameter :: images = 1797, train = 1200, pixels = 64
    integer(c_int), parameter :: features = 512, classes = 10, block = 64
    real(c_float), parameter :: unit_roundoff = 2.0**(-24), width = 1.5

    real(c_float), target :: f(features, images), y(train, classes), z(features, train)
    real(c_float), target :: s(features, features), l(features, features)
    real(c_float), target :: b(features, classes), weights(features, classes)
    real(c_float), target :: fit(images, classes)
    real(c_float), target :: one = 1, zero = 0, minus_one = -1, lambda = 0.1
    real(c_float) :: x(pixels, images), projections(pixels, features), shifts(features)
    real(c_float) :: reference(features, classes), difference, error
    real(c_double) :: exact(features, features), magnitude(features, features)
    real(c_double) :: lower(features, features)
    real(c_double) :: rest(features, classes), h(train), without(train, classes)
    integer :: labels(images), i, c, unit, info, length, backend_id, correct, correct_without
    character(len=:), allocatable :: path
    type(c_ptr) :: handle, dev_f, dev_y, dev_s, dev_z, dev_x, dev_fit

    interface
        subroutine spotrf(uplo, n, a, lda, info)
            character, intent(in) :: uplo
            integer, intent(in) :: n, lda
            real, intent(inout) :: a(lda, *)
            integer, intent(out) :: info
        end subroutine
        subroutine spotrs(uplo, n, nrhs, a, lda, b, ldb, info)
            character, intent(in) :: uplo
            integer, intent(in) :: n, nrhs, lda, ldb
            real, intent(in) :: a(lda, *)
            real, intent(inout) :: b(ldb, *)
            integer, intent(out) :: info
        end subroutine
    end interface

    call get_command_argument(1, length=length)
    allocate(character(len=length) :: path)
    call get_command_argument(1, path)
    if (length == 0) path = 'data/digits.csv'
    open(newunit=unit, file=path, status='old', action='read', iostat=info)
    if (info /= 0) call fail('usage: digits_ridge data/digits.csv')
    do i = 1, images
        read(unit, *) x(:, i), labels(i)
        x(:, i) = x(:, i) / norm2(x(:, i)) ! so that faint and bold strokes compare
    end do
    close(unit)
    y = -1
    do i = 1, train
        y(i, labels(i) + 1) = 1
    end do

    call check(myblasCreate(handle), 'myblasCreate')
    call check(myblasGetBackend(handle, backend_id), 'myblasGetBackend')
    call make_features()
    s = 0
    do i = 1, features
        s(i, i) = 1
    end do

    dev_f = upload(features, images, c_loc(f))
    dev_y = upload(train, classes, c_loc(y))
    dev_s = upload(features, features, c_loc(s))
    dev_z = upload(features, train, c_loc(f))
    dev_x = upload(features, classes, c_loc(b))
    dev_fit = upload(images, classes, c_loc(fit))

    call check(myssyrk(handle, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N, features, train, c_loc(one), &
        dev_f, features, c_loc(lambda), dev_s, features), 'myssyrk')
    call download(features, features, dev_s, c_loc(s))
    call factor()
    call download(features, features, dev_s, c_loc(l))

    call check(mysgemm(handle, MYBLAS_OP_N, MYBLAS_OP_N, features, classes, train, c_loc(one), &
        dev_f, features, dev_y, train, c_loc(zero), dev_x, features), 'mysgemm')
    call download(features, classes, dev_x, c_loc(b))
    call solve(MYBLAS_OP_N, classes, dev_x)
    call solve(MYBLAS_OP_T, classes, dev_x)
    call download(features, classes, dev_x, c_loc(weights))

    call check(mysgemm(handle, MYBLAS_OP_T, MYBLAS_OP_N, images, classes, features, c_loc(one), &
        dev_f, features, dev_x, features, c_loc(zero), dev_fit, images), 'mysgemm')
    call download(images, classes, dev_fit, c_loc(fit))
    call solve(MYBLAS_OP_N, train, dev_z)
    call download(features, train, dev_z, c_loc(z))

    call check(myblasFree(handle, dev_f), 'myblasFree')
    call check(myblasFree(handle, dev_y), 'myblasFree')
    call check(myblasFree(handle, dev_s), 'myblasFree')
    call check(myblasFree(handle, dev_z), 'myblasFree')
    call check(myblasFree(handle, dev_x), 'myblasFree')
    call check(myblasFree(handle, dev_fit), 'myblasFree')

    h = sum(real(z, c_double)**2, 1)
    do c = 1, classes
        without(:, c) = (fit(:train, c) - h * y(:, c)) / (1 - h)
    end do
    correct = count(maxloc(fit(train + 1:, :), 2) - 1 == labels(train + 1:))
    correct_without = count(maxloc(without, 2) - 1 == labels(:train))

    ! |B - S X| <= (3 n + 1) u |L| |L|^T |X|: Higham, Accuracy and Stability of Numerical
    ! Algorithms, theorem 10.4.
    lower = abs(l)
    exact = s
    do i = 1, features
        lower(:i - 1, i) = 0
        exact(i, i + 1:) = exact(i + 1:, i)
    end do
    magnitude = matmul(lower, transpose(lower))
    rest = b - matmul(exact, real(weights, c_double))
    error = real(maxval(abs(rest) / matmul(magnitude, real(abs(weights), c_double))) / &
        unit_roundoff)

    l = s
    reference = b
    call spotrf('L', features, l, features, info)
    if (info == 0) call spotrs('L', features, classes, l, features, reference, features, info)
    if (info /= 0) call fail('WRONG: LAPACK finds no solution')
    difference = maxval(abs(weights - reference)) / maxval(abs(reference))
    call check(myblasDestroy(handle), 'myblasDestroy')

    print '(a)', 'ridge regression on handwritten digits'
    print '(2a)', '  backend                 ', &
        merge('cuda', 'host', backend_id == MYBLAS_BACKEND_CUDA)
    print '(3(a, i0), a)', '  normal matrix           ', features, ' x ', features, ', from ', &
        train, ' images'
    print '(2(a, i0), a, f4.1, a)', '  read correctly          ', correct, ' of ', images - train, &
        ' (', 100.0 * correct / (images - train), ' %)'
    print '(2(a, i0), a, f4.1, a)', '  each by all others      ', correct_without, ' of ', train, &
        ' (', 100.0 * correct_without / train, ' %)'
    print '(a, f0.1, a, i0, a)', '  error of the solution   ', error, ' u, at most ', &
        3 * features + 1, ' u allowed (u = 2^-24)'
    print '(a, es7.1, a)', '  difference to LAPACK    ', difference, ' of the largest weight'

    ! S has a condition number of several thousands, by which solutions of a backward error of few u
    ! may differ.
    if (.not. error <= 3 * features + 1) call fail('WRONG: the solution does not fit the matrix')
    if (.not. difference <= 0.01) call fail('WRONG: the solution differs from that of LAPACK')
    if (correct < 0.94 * (images - train) .or. correct_without < 0.97 * train) &
        call fail('WRONG: too few digits are read')

contains

    ! Lehmer's generator with the multiplier 48271: the same numbers everywhere.
    function uniform() result(value)
        real(c_double) :: value
        integer(c_int64_t), save :: state = 1
        state = mod(state * 48271_c_int64_t, 2147483647_c_int64_t)
        value = real(state, c_double) / 2147483647
    end function

    subroutine make_features()
        integer :: feature, pixel, turn
        real(c_double) :: normal
        do feature = 1, features
            do pixel = 1, pixels
                normal = -6
                do turn = 1, 12
                    normal = normal + uniform()
                end do
                projections(pixel, feature) = real(width * normal, c_float)
            end do
            shifts(feature) = real(6.283185307179586d0 * uniform(), c_float)
        end do
        call check(mysgemmHost(handle, MYBLAS_OP_T, MYBLAS_OP_N, features, images, pixels, one, &
            projections, pixels, x, pixels, zero, f, features), 'mysgemmHost')
        f = sqrt(2.0 / features) * cos(f + spread(shifts, 2, images))
    end subroutine

    ! S = L L^T in place of the lower triangle of S.
    subroutine factor()
        real(c_float), target :: diagonal(block, block)
        integer :: j, columns, below, failure
        type(c_ptr) :: corner, panel
        do j = 0, features - 1, block
            columns = min(block, features - j)
            below = features - j - columns
            corner = element(dev_s, j, j)
            panel = element(dev_s, j + columns, j)
            call check(myblasGetMatrix(handle, columns, columns, 4, corner, features, &
                c_loc(diagonal), block), 'myblasGetMatrix')
            call spotrf('L', columns, diagonal, block, failure)
            if (failure /= 0) call fail('WRONG: the normal matrix is not positive definite')
            call check(myblasSetMatrix(handle, columns, columns, 4, c_loc(diagonal), block, &
                corner, features), 'myblasSetMatrix')
            call check(mystrsm(handle, MYBLAS_SIDE_RIGHT, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_T, &
                MYBLAS_DIAG_NON_UNIT, below, columns, c_loc(one), corner, features, panel, &
                features), 'mystrsm')
            call check(myssyrk(handle, MYBLAS_FILL_MODE_LOWER, MYBLAS_OP_N, below, columns, &
                c_loc(minus_one), panel, features, c_loc(one), &
                element(dev_s, j + columns, j + columns), features), 'myssyrk')
        end do
    end subroutine

    ! op(L) X = B in place of B.
    subroutine solve(op, columns, right)
        integer(c_int), intent(in) :: op, columns
        type(c_ptr), intent(in) :: right
        call check(mystrsm(handle, MYBLAS_SIDE_LEFT, MYBLAS_FILL_MODE_LOWER, op, &
            MYBLAS_DIAG_NON_UNIT, features, columns, c_loc(one), dev_s, features, right, &
            features), 'mystrsm')
    end subroutine

    ! The address of an element of a matrix with `features` rows, counted from 0.
    function element(matrix, row, column) result(address)
        type(c_ptr), intent(in) :: matrix
        integer, intent(in) :: row, column
        type(c_ptr) :: address
        integer(c_intptr_t) :: bytes
        bytes = transfer(matrix, bytes) + 4 * (row + int(column, c_intptr_t) * features)
        address = transfer(bytes, address)
    end function

    function upload(rows, columns, matrix) result(memory)
        integer(c_int), intent(in) :: rows, columns
        type(c_ptr), intent(in) :: matrix
        type(c_ptr) :: memory
        call check(myblasMalloc(handle, memory, 4_c_size_t * rows * columns), 'myblasMalloc')
        call check(myblasSetMatrix(handle, rows, columns, 4, matrix, rows, memory, rows), &
            'myblasSetMatrix')
    end function

    subroutine download(rows, columns, memory, matrix)
        integer(c_int), intent(in) :: rows, columns
        type(c_ptr), intent(in) :: memory, matrix
        call check(myblasGetMatrix(handle, rows, columns, 4, memory, rows, matrix, rows), &
            'myblasGetMatrix')
    end subroutine

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
