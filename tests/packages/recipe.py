"""recipe.py SOURCE_DIR: the conda recipes can be parsed and rendered. That of the system BLAS has
links to files of the packages that it needs."""

import json
import pathlib
import re
import sys

import rattler_build

source = pathlib.Path(sys.argv[1])
header = (source / "include/myblas/myblas.h").read_text()
version = ".".join(
    re.search(rf"define MYBLAS_VERSION_{part} +(\d+)", header)[1]
    for part in ("MAJOR", "MINOR", "PATCH")
)
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        print("not so:", what)
        failures += 1


recipe = rattler_build.Stage0Recipe.from_file(source / "recipe/recipe.yaml")
variants = rattler_build.VariantConfig.from_file(source / "recipe/variants.yaml")
platform = rattler_build.PlatformConfig(target_platform="linux-64")
rendered = recipe.render(variants, rattler_build.RenderConfig(platform=platform))
packages = [variant.recipe.to_dict() for variant in rendered]
builds = [package["build"]["string"][:3] for package in packages]
expect(sorted(builds) == ["cpu", "cud"], f"one package with CUDA and one without: {builds}")
for package in packages:
    expect(
        package["package"] == {"name": "myblas", "version": version}, f"the version is {version}"
    )
    expect((source / package["about"]["license_file"][0]).exists(), "the licence is there")
    has_compiler = any(name.startswith("cuda") for name in package["requirements"]["build"])
    expect(
        has_compiler == package["context"]["cuda"], "a CUDA compiler in the package with CUDA alone"
    )

# Its options are those of the build.
options = set(re.findall(r"-D(MYBLAS_\w+)", json.dumps(packages)))
known = set(re.findall(r"(?:option|set)\((MYBLAS_\w+)", (source / "CMakeLists.txt").read_text()))
expect(options and options <= known, f"the build has these options: {options - known}")

# The system BLAS of an environment.
recipe = rattler_build.Stage0Recipe.from_file(source / "recipe/libblas/recipe.yaml")
rendered = recipe.render(
    rattler_build.VariantConfig(), rattler_build.RenderConfig(platform=platform)
)
parts = [variant.recipe.to_dict() for variant in rendered]
blas = {part["package"]["name"]: part for part in parts}
names = {"libblas", "libcblas", "liblapack", "liblapacke"}
expect(set(blas) == names, f"the packages of the system BLAS: {set(blas)}")
contents = [test.get("package_contents", {}) for test in packages[0]["tests"]]
files = {path for content in contents for path in content.get("files", [])}
for name, package in blas.items():
    expect(package["build"]["string"].endswith("_myblas"), f"{name} is of the variant myblas")
    made = set()
    run = package["requirements"]["run"]
    script = "\n".join(package["build"]["script"])
    for target, link in re.findall(r"ln -s (\S+) \$PREFIX/lib/(\S+)", script):
        if f"lib/{target}" in files:  # of the package myblas, which libblas needs
            needs_libblas = any("pin_subpackage" in each for each in run)
            expect("myblas" in run or needs_libblas, f"{name} needs myblas for {link}")
        elif target not in made:
            expect(target == "libopenblas.so.0", f"{name}: {target} is in no package")
            expect("libopenblas" in run, f"{name} needs libopenblas for {link}")
        made.add(link)
    expect(made, f"{name} has links")
sys.exit(failures > 0)
