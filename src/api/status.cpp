// The names and meanings of the status codes.
#include "myblas/myblas.h"

extern "C" {

const char* myblasGetStatusName(myblasStatus_t status) {
    switch (status) {
    case MYBLAS_STATUS_SUCCESS:
        return "MYBLAS_STATUS_SUCCESS";
    case MYBLAS_STATUS_NOT_INITIALIZED:
        return "MYBLAS_STATUS_NOT_INITIALIZED";
    case MYBLAS_STATUS_ALLOC_FAILED:
        return "MYBLAS_STATUS_ALLOC_FAILED";
    case MYBLAS_STATUS_INVALID_VALUE:
        return "MYBLAS_STATUS_INVALID_VALUE";
    case MYBLAS_STATUS_ARCH_MISMATCH:
        return "MYBLAS_STATUS_ARCH_MISMATCH";
    case MYBLAS_STATUS_MAPPING_ERROR:
        return "MYBLAS_STATUS_MAPPING_ERROR";
    case MYBLAS_STATUS_EXECUTION_FAILED:
        return "MYBLAS_STATUS_EXECUTION_FAILED";
    case MYBLAS_STATUS_INTERNAL_ERROR:
        return "MYBLAS_STATUS_INTERNAL_ERROR";
    case MYBLAS_STATUS_NOT_SUPPORTED:
        return "MYBLAS_STATUS_NOT_SUPPORTED";
    case MYBLAS_STATUS_LICENSE_ERROR:
        return "MYBLAS_STATUS_LICENSE_ERROR";
    }
    return "unrecognised status";
}

const char* myblasGetStatusString(myblasStatus_t status) {
    switch (status) {
    case MYBLAS_STATUS_SUCCESS:
        return "the call succeeded";
    case MYBLAS_STATUS_NOT_INITIALIZED:
        return "the handle is none, or there is no usable CUDA driver, device or context";
    case MYBLAS_STATUS_ALLOC_FAILED:
        return "out of memory";
    case MYBLAS_STATUS_INVALID_VALUE:
        return "an argument, or a variable that myblasCreate reads, is out of its documented range";
    case MYBLAS_STATUS_ARCH_MISMATCH:
        return "the device's architecture is not one that this library runs on";
    case MYBLAS_STATUS_MAPPING_ERROR:
        return "a copy between host and device failed";
    case MYBLAS_STATUS_EXECUTION_FAILED:
        return "the device refused or failed to run the work";
    case MYBLAS_STATUS_INTERNAL_ERROR:
        return "the operation is not possible now, such as waiting for a stream being captured";
    case MYBLAS_STATUS_NOT_SUPPORTED:
        return "no kernel that may be taken serves this call";
    case MYBLAS_STATUS_LICENSE_ERROR:
        return "a licence is missing; this library never answers so";
    }
    return "unrecognised status";
}

} // extern "C"
