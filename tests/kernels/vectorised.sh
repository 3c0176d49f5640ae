#!/usr/bin/env bash
# Whether the compiler made vector instructions of the kernels that are plain loops: with 512 bits, arithmetic on float.
# And whether it keeps the sums of matrix products in registers instead of writing them to the stack at every step. It
# says nothing where it does not, and they are then several times slower.
#
#   tests/kernels/vectorised.sh OBJDUMP LIBRARY
set -euo pipefail
# About two thirds of what GCC 12 and 14 make.
declare -A least=([additive_attention]=35 [gru]=40 [gru_cho]=40 [layer_norm]=12 [lstm]=70 [flash_attention]=190 [flash_gradients]=55 [log_mean]=40 [cross_entropy]=470 [int8]=170)
failed=0
while read -r file count; do
    echo "$file: $count (at least ${least[$file]:-0})"
    ((count >= ${least[$file]:-0})) || failed=1
    unset "least[$file]"
done < <("$1" -d --no-show-raw-insn "$2" | awk '
    /file format/ { file = $1; sub(/\.cpp\.o:$/, "", file); counts[file] += 0 }
    /\tv(add|sub|mul|div|max|min|fn?m(add|sub)[0-9]+)ps .*%zmm/ { ++counts[file] }
    END { for (file in counts) print file, counts[file] }' | sort)
while read -r file count; do
    echo "$file: $count registers of 512 bits written to the stack (at most 8)"
    ((count <= 8)) || failed=1
done < <("$1" -d --no-show-raw-insn "$2" | awk '
    /file format/ { file = $1; sub(/\.cpp\.o:$/, "", file); if (file ~ /^(int8|product_blocks|small_product)$/) counts[file] = 0 }
    file in counts && /\tvmov[a-z0-9]+ +%zmm[0-9]+,-?(0x)?[0-9a-f]*\(%r[sb]p\)/ { ++counts[file] }
    END { for (file in counts) print file, counts[file] }' | sort)
for file in "${!least[@]}"; do
    echo "there is no $file" && failed=1
done
((failed == 0)) || echo "FAILED: some kernels are not vectorised as they should be" >&2
exit "$failed"
