// The check of integer operands as a kernel of one block, for those that are too long for every block to look at.
#include "check.cuh"

KERNEL check_range(Fault* fault, const void* values, int wide, i64 n, i64 low, i64 high, int site) {
    UNLESS_FAILED(fault);
    all_inside(fault, values, wide, n, low, high, site, true);
}
