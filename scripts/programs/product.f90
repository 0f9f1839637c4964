! Fortran: three products by BLAS and a solve by LAPACK.
program product_and_solve
    implicit none
    integer, parameter :: n = 500
    real :: a(n, n), b(n, n), c(n, n)
    integer :: i, info, pivots(n)
    call random_number(a)
    call random_number(b)
    do i = 1, 3
        call sgemm('N', 'N', n, n, n, 1.0, a, n, b, n, 0.0, c, n)
    end do
    call sgesv(n, n, a, n, pivots, c, n, info)
    if (info /= 0) error stop
end program
