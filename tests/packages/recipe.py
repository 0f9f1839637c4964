"""recipe.py SOURCE_DIR: the conda recipe can be parsed and rendered with and without CUDA."""

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
sys.exit(failures > 0)
