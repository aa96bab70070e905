#!/bin/sh
# Compiles a contract in C: build.sh contract.c contract.wasm. Needs clang and lld; CLANG names another clang.
set -eu
exec "${CLANG:-clang}" --target=wasm32 -mcpu=mvp -O2 -nostdlib -ffreestanding -fuse-ld=lld \
  -I "$(dirname "$0")" -Wall -Wextra -Wno-unused-parameter \
  -Wl,--no-entry -Wl,--export=apply -Wl,--allow-undefined -Wl,--strip-all -Wl,-z,stack-size=8192 \
  -o "$2" "$1"
