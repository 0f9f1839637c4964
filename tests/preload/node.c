// A definition of a cuBLAS function that does nothing. cublas_interposition.sh builds it with
// several version scripts, to see which of these builds replace cuBLAS's function.
int cublasSgemm_v2(void) { return 0; }
