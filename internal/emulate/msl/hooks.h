// This file is what metal_stdlib.h asks of the runtime (fibers/runtime.h), and what the compiler's checks call.
#pragma once

namespace metal {

unsigned int spurious;

void failed(const char* what) { bench::fail("%s", what); }

void meet_all(int line) { bench::meet_all(line); }

Met meet(int line, const void* value, unsigned int bytes) {
  unsigned int mask = (unsigned int)bench::meet(line, value, bytes);
  return Met{mask, bench::lane()};
}

const void* brought(unsigned int lane) { return bench::brought(lane); }

} // namespace metal

// What the compiler's checks call (-fsanitize=…): the data that they pass begins with the place in the source.
namespace bench {
struct Place { const char* file; uint line, column; };
}
#define CHECK(NAME, WHAT) \
  extern "C" void __ubsan_handle_##NAME(bench::Place* p, ...) { bench::fail("undefined behaviour at line %u: " WHAT, p->line); } \
  extern "C" void __ubsan_handle_##NAME##_abort(bench::Place* p, ...) { bench::fail("undefined behaviour at line %u: " WHAT, p->line); }
CHECK(add_overflow, "a sum of signed integers overflows")
CHECK(sub_overflow, "a difference of signed integers overflows")
CHECK(mul_overflow, "a product of signed integers overflows")
CHECK(negate_overflow, "a negated integer overflows")
CHECK(divrem_overflow, "a division by zero, or of the lowest integer by -1")
CHECK(shift_out_of_bounds, "a shift by more than the width, or of a negative number")
CHECK(out_of_bounds, "an index outside of its array")
CHECK(float_cast_overflow, "a float that the integer cannot hold")
CHECK(load_invalid_value, "a bool that is neither true nor false")
CHECK(type_mismatch_v1, "a reference to nothing, or one that is not aligned")
extern "C" void __ubsan_handle_builtin_unreachable(bench::Place* p) { bench::fail("undefined behaviour at line %u: code that is never reached", p->line); }
extern "C" void __ubsan_handle_missing_return(bench::Place* p) { bench::fail("undefined behaviour at line %u: a function ends without a result", p->line); }
