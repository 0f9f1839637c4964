# R, which has no single precision: three products and a solve.
a <- matrix(runif(250000), 500)
for (i in 1:3) c <- a %*% a
x <- solve(a, c)
