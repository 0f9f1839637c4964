"""The Spack package, built from a clone:

spack repo add recipe/spack/spack_repo/myblas
spack dev-build myblas@1.0.0 +cuda cuda_arch=90
"""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Myblas(CMakePackage, CudaPackage):
    """A single-precision BLAS for NVIDIA GPUs, with a host backend and tools for programs."""

    license("MIT")

    version("1.0.0")  # that of include/myblas/myblas.h; a test compares them

    variant("fortran", default=True, description="Build the Fortran module")
    variant("tools", default=True, description="Build myblas-run, myblas-doctor and myblas-bench")
    variant("static", default=False, description="Build a static library, too")
    variant("blas", default=False, description="Build libmyblas-blas.so, in front of OpenBLAS")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python", type="build")
    depends_on("cuda@12.0:", when="+cuda")
    depends_on("cli11", type="build", when="+tools")
    depends_on("fmt", type="build", when="+tools")
    depends_on("nlohmann-json", type="build", when="+tools")
    # Loaded by the host backend when it is first needed; libmyblas-blas.so is linked to it.
    depends_on("openblas ~ilp64", type=("link", "run"))

    conflicts("%gcc@:11", msg="the library is written in C++20")
    conflicts("platform=darwin")
    conflicts("platform=windows")

    def cmake_args(self):
        args = [
            self.define_from_variant("MYBLAS_CUDA", "cuda"),
            self.define_from_variant("MYBLAS_BUILD_FORTRAN", "fortran"),
            self.define_from_variant("MYBLAS_BUILD_TOOLS", "tools"),
            self.define_from_variant("MYBLAS_BUILD_BENCH", "tools"),
            self.define_from_variant("MYBLAS_STATIC", "static"),
            self.define("MYBLAS_BUILD_TESTS", self.run_tests),
            self.define(
                "MYBLAS_LINKED_BLAS",
                self.spec["openblas"].libs[0] if self.spec.satisfies("+blas") else False,
            ),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            if "none" not in architectures:
                args.append(self.define("MYBLAS_CUDA_ARCHITECTURES", architectures))
        return args
