#pragma once

namespace softalign {

// Instruction sets beyond those that every processor of its kind has: of x86, each with the one before it, or the dot
// products of ARM. A processor with avx512 may lack avx_vnni, which has dot products of int8 for AVX2's registers. amx
// has products of tiles of bfloat16 and of int8.
enum class Instructions { none, dotprod, avx2, avx_vnni, avx512, amx };

// Those that kernels use: the most that the processor has, and no more than the environment variable
// SOFTALIGN_INSTRUCTIONS allows, which is read at the first call: amx, avx512, avx_vnni, avx2 or none, on ARM dotprod
// or none. Throws Error(usage) for another value.
Instructions instructions();

// Whether they include amx and the system permits this process to use it. The first call asks for that: a thread that
// has used AMX has larger signal frames, so the system refuses if an alternate signal stack of the process is too small
// for those.
bool may_use_amx();

// The least of them that gives the same bits in float32 and int8: avx_vnni and amx are for speed.
Instructions instructions_of_float32();

// The same for bfloat16, which AMX adds up in another order. Asks as may_use_amx() does.
Instructions instructions_of_bfloat16();

// Whether they include avx512 and the processor has AVX512_BF16, products of bfloat16.
bool may_use_avx512_bf16();

// Whether the processor has avx_vnni, whatever is allowed.
bool has_avx_vnni();

// "none", "dotprod", "avx2", "avx_vnni", "avx512" or "amx".
const char* name_of(Instructions instructions);

}  // namespace softalign
