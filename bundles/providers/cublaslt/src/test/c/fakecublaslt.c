// cuBLASLt without a device, for tests: products are computed on host memory, in the order of the fake driver's stream, from what the
// layouts say and nothing else. It is strict: an object that is gone, an address that is aligned worse than was promised, scratch memory that is
// too small, a call without a context are counted and named. Which types go together is what version 13 was seen to do.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Code;
enum { OK = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum { F32 = 0, F16 = 2, BF16 = 14, E4M3 = 28 };
enum { HANDLE = 0x4c74, OPERATION, LAYOUT, PREFERENCE, ALGORITHM };

// Of the fake driver.
int fake_submit(void *stream, void (*work)(const void *), const void *args, uint64_t n);
int fake_touch(uint64_t at, uint64_t n, const char *what);
int fake_has_context(void);

struct Object { int kind; };
struct Operation { struct Object o; int compute, scale, transposed[2]; };
struct Layout { struct Object o; int type, pairs; uint64_t rows, columns; int64_t leading, apart; };
struct Preference { struct Object o; uint64_t scratch; int reductions, alignment[4]; };
struct Algorithm { int kind, alignment[3]; uint64_t scratch; struct Operation *op; struct Layout *a, *b, *d; char rest[8]; };
struct Result { struct Algorithm algorithm; uint64_t scratch; int state; float waves; int reserved[4]; };
_Static_assert(sizeof(struct Algorithm) == 64 && sizeof(struct Result) == 96, "as the library's");

static int breaches, live[4], products, failAt, failSeen, failCode, lastScratch;
static char breach[256], failName[64];
static long version;

static void wrong(const char *what) { if (breaches++ == 0) snprintf(breach, sizeof breach, "%s", what); }
static Code injected(const char *name) {
    if (strcmp(name, failName) != 0 || ++failSeen != failAt) return OK;
    failName[0] = 0;
    return failCode;
}
static void *make(int kind, size_t n) {
    struct Object *o = calloc(1, n);
    o->kind = kind;
    live[kind - HANDLE]++;
    return o;
}
// What is gone stays readable, so that its use is seen.
static Code end(struct Object *o, int kind) {
    if (!o || o->kind != kind) { wrong("an object is destroyed that is not there"); return INVALID_VALUE; }
    o->kind = 0;
    live[kind - HANDLE]--;
    return OK;
}
static int is(void *o, int kind) {
    if (o && ((struct Object *)o)->kind == kind) return 1;
    wrong("an object is used that is not there");
    return 0;
}

size_t cublasLtGetVersion(void) { return version; }
Code cublasLtCreate(void **h) {
    if (!fake_has_context()) { wrong("cublasLtCreate: no context is current"); return NOT_INITIALIZED; }
    Code code = injected("cublasLtCreate");
    if (!code) *h = make(HANDLE, sizeof(struct Object));
    return code;
}
Code cublasLtDestroy(void *h) {
    if (!fake_has_context()) wrong("cublasLtDestroy: no context is current");
    return end(h, HANDLE);
}
Code cublasLtMatmulDescCreate(void **o, int compute, int scale) {
    struct Operation *made = make(OPERATION, sizeof *made);
    made->compute = compute; made->scale = scale;
    *o = made;
    return OK;
}
Code cublasLtMatmulDescDestroy(void *o) { return end(o, OPERATION); }
Code cublasLtMatmulDescSetAttribute(struct Operation *o, int attribute, const void *value, size_t n) {
    if (!is(o, OPERATION) || n != 4 || attribute < 3 || attribute > 4) return INVALID_VALUE;
    o->transposed[attribute - 3] = *(int *)value;
    return OK;
}
Code cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows, uint64_t columns, int64_t leading) {
    if (!rows || !columns || leading < (int64_t)rows) { wrong("a layout that is none"); return INVALID_VALUE; }
    Code code = injected("cublasLtMatrixLayoutCreate");
    if (code) return code;
    struct Layout *made = make(LAYOUT, sizeof *made);
    made->type = type; made->pairs = 1; made->rows = rows; made->columns = columns; made->leading = leading;
    *l = made;
    return OK;
}
Code cublasLtMatrixLayoutDestroy(void *l) { return end(l, LAYOUT); }
Code cublasLtMatrixLayoutSetAttribute(struct Layout *l, int attribute, const void *value, size_t n) {
    if (!is(l, LAYOUT)) return INVALID_VALUE;
    if (attribute == 5 && n == 4) l->pairs = *(int *)value;
    else if (attribute == 6 && n == 8) l->apart = *(int64_t *)value;
    else return INVALID_VALUE;
    return OK;
}
Code cublasLtMatmulPreferenceCreate(void **p) {
    struct Preference *made = make(PREFERENCE, sizeof *made);
    made->reductions = 7;
    for (int i = 0; i < 4; i++) made->alignment[i] = 256;
    *p = made;
    return OK;
}
Code cublasLtMatmulPreferenceDestroy(void *p) { return end(p, PREFERENCE); }
Code cublasLtMatmulPreferenceSetAttribute(struct Preference *p, int attribute, const void *value, size_t n) {
    if (!is(p, PREFERENCE)) return INVALID_VALUE;
    if (attribute == 1 && n == 8) p->scratch = *(uint64_t *)value;
    else if (attribute == 3 && n == 4) p->reductions = *(int *)value;
    else if (attribute >= 5 && attribute <= 8 && n == 4) p->alignment[attribute - 5] = *(int *)value;
    else return INVALID_VALUE;
    return OK;
}

static int size(int type) { return type == F32 ? 4 : type == E4M3 ? 1 : 2; }
static int together(struct Layout *a, struct Layout *b, struct Layout *d) {
    if (a->type != b->type) return 0;
    return d->type == F32 || d->type == a->type || (d->type == BF16 && a->type == E4M3);
}
static uint64_t inner(struct Operation *o, struct Layout *a) { return o->transposed[0] ? a->rows : a->columns; }
static int fits(struct Operation *o, struct Layout *a, struct Layout *b, struct Layout *d) {
    uint64_t m = o->transposed[0] ? a->columns : a->rows, k = inner(o, a);
    return d->rows == m && d->columns == (o->transposed[1] ? b->rows : b->columns) && k == (o->transposed[1] ? b->columns : b->rows)
            && a->pairs == b->pairs && a->pairs == d->pairs;
}
Code cublasLtMatmulAlgoGetHeuristic(void *h, struct Operation *o, struct Layout *a, struct Layout *b, struct Layout *c, struct Layout *d,
                                    struct Preference *p, int wanted, struct Result *r, int *count) {
    if (!fake_has_context()) wrong("cublasLtMatmulAlgoGetHeuristic: no context is current");
    if (!is(h, HANDLE) || !is(o, OPERATION) || !is(a, LAYOUT) || !is(b, LAYOUT) || !is(c, LAYOUT) || !is(d, LAYOUT) || !is(p, PREFERENCE)) return INVALID_VALUE;
    Code code = injected("cublasLtMatmulAlgoGetHeuristic");
    if (code) return code;
    *count = 0;
    if (wanted < 1 || o->compute != 68 || o->scale != F32 || !fits(o, a, b, d)) { wrong("sizes that do not fit"); return INVALID_VALUE; }
    if (p->reductions != 2) wrong("parts of a sum may be rounded to the stored type");
    if (!together(a, b, d)) return NOT_SUPPORTED;
    if (a->type == E4M3 && (!o->transposed[0] || o->transposed[1] || a->rows % 16 || a->columns % 16
            || p->alignment[0] < 16 || p->alignment[1] < 16 || p->alignment[3] < 16)) return NOT_SUPPORTED;
    // A long sum is made in two parts, which lie in scratch memory.
    uint64_t scratch = inner(o, a) >= 64 ? 8 * d->rows * d->columns * d->pairs : 0;
    if (scratch > p->scratch) scratch = 0;
    *r = (struct Result){.algorithm = {ALGORITHM, {p->alignment[0], p->alignment[1], p->alignment[3]}, scratch, o, a, b, d}, .scratch = scratch};
    *count = 1;
    return OK;
}

static float f32(uint32_t bits) { float f; memcpy(&f, &bits, 4); return f; }
static double get(int type, uint64_t at) {
    if (type == F32) return *(float *)at;
    if (type == BF16) return f32((uint32_t) *(uint16_t *)at << 16);
    if (type == F16) return *(_Float16 *)at;
    int code = *(uint8_t *)at, e = code >> 3 & 15, m = code & 7;
    double v = (code & 127) == 127 ? NAN : e ? ldexp(8 + m, e - 10) : ldexp(m, -9);
    return code & 128 ? -v : v;
}
static void put(int type, uint64_t at, float v) {
    uint32_t bits;
    memcpy(&bits, &v, 4);
    if (type == F32) memcpy((void *)at, &v, 4);
    else if (type == F16) *(_Float16 *)at = (_Float16)v;
    else *(uint16_t *)at = v != v ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

struct Args {
    uint64_t a, b, d, scratch;
    double alpha;
    uint64_t m, n, k, scratchBytes;
    int64_t la, lb, ld, apartA, apartB, apartD;
    int pairs, type, stored, transposed[2];
};
static uint64_t span(uint64_t rows, uint64_t columns, int64_t leading, int pairs, int64_t apart, int type) {
    return (rows + (columns - 1) * leading + (pairs - 1) * apart) * size(type);
}
static double part(const struct Args *w, int pair, uint64_t i, uint64_t j, uint64_t from, uint64_t to) {
    double sum = 0;
    for (uint64_t x = from; x < to; x++) {
        uint64_t at = pair * w->apartA + (w->transposed[0] ? x + i * w->la : i + x * w->la);
        uint64_t bt = pair * w->apartB + (w->transposed[1] ? j + x * w->lb : x + j * w->lb);
        sum += get(w->type, w->a + at * size(w->type)) * get(w->type, w->b + bt * size(w->type));
    }
    return sum;
}
// Either puts the two halves of each sum into scratch memory, or makes the results.
static void each(const struct Args *w, int last) {
    float *parts = w->scratchBytes ? (float *)w->scratch : 0;
    for (int pair = 0; pair < w->pairs; pair++)
        for (uint64_t j = 0; j < w->n; j++)
            for (uint64_t i = 0; i < w->m; i++) {
                float *own = parts ? parts + 2 * (i + w->m * (j + w->n * pair)) : 0;
                if (!last) {
                    own[0] = part(w, pair, i, j, 0, w->k / 2);
                    own[1] = part(w, pair, i, j, w->k / 2, w->k);
                } else {
                    double sum = own ? (double)own[0] + own[1] : part(w, pair, i, j, 0, w->k);
                    put(w->stored, w->d + (pair * w->apartD + i + j * w->ld) * size(w->stored), (float)(w->alpha * sum));
                }
            }
}
static void product(const void *args) {
    const struct Args *w = args;
    uint64_t ra = w->transposed[0] ? w->k : w->m, ca = w->transposed[0] ? w->m : w->k, rb = w->transposed[1] ? w->n : w->k, cb = w->transposed[1] ? w->k : w->n;
    if (!fake_touch(w->a, span(ra, ca, w->la, w->pairs, w->apartA, w->type), "a product reads memory that is not there")
            || !fake_touch(w->b, span(rb, cb, w->lb, w->pairs, w->apartB, w->type), "a product reads memory that is not there")
            || !fake_touch(w->d, span(w->m, w->n, w->ld, w->pairs, w->apartD, w->stored), "a product writes memory that is not there")
            || !fake_touch(w->scratch, w->scratchBytes, "a product has scratch memory that is not there")) return;
    float *parts = w->scratchBytes ? (float *)w->scratch : 0;
    if (parts) each(w, 0);
    each(w, 1);
}
Code cublasLtMatmul(void *h, struct Operation *o, const float *alpha, uint64_t a, struct Layout *la, uint64_t b, struct Layout *lb, const float *beta,
                    uint64_t c, struct Layout *lc, uint64_t d, struct Layout *ld, const struct Algorithm *x, uint64_t scratch, size_t scratchBytes, void *stream) {
    if (!fake_has_context()) wrong("cublasLtMatmul: no context is current");
    if (!is(h, HANDLE) || !is(o, OPERATION) || !is(la, LAYOUT) || !is(lb, LAYOUT) || !is(lc, LAYOUT) || !is(ld, LAYOUT)) return INVALID_VALUE;
    Code code = injected("cublasLtMatmul");
    if (code) return code;
    if (x->kind != ALGORITHM || x->op != o || x->a != la || x->b != lb || x->d != ld) { wrong("an algorithm of another product"); return INVALID_VALUE; }
    if (a % x->alignment[0] || b % x->alignment[1] || d % x->alignment[2]) wrong("an address is not aligned as was promised");
    if (scratchBytes < x->scratch || scratch % 256 || (x->scratch && !scratch)) { wrong("scratch memory is too small"); return INVALID_VALUE; }
    if (*beta != 0 || c != d) wrong("what was in the result counts");
    struct Args w = {.a = a, .b = b, .d = d, .scratch = x->scratch ? scratch : 0, .alpha = *alpha, .m = ld->rows, .n = ld->columns, .k = inner(o, la), .scratchBytes = x->scratch,
        .la = la->leading, .lb = lb->leading, .ld = ld->leading, .apartA = la->apart, .apartB = lb->apart, .apartD = ld->apart,
        .pairs = ld->pairs, .type = la->type, .stored = ld->type, .transposed = {o->transposed[0], o->transposed[1]}};
    products++;
    lastScratch = (int)x->scratch;
    return fake_submit(stream, product, &w, sizeof w) ? 14 : OK;
}

// ---- for the test ----

__attribute__((constructor)) void lt_reset(void) {
    breaches = products = failAt = failSeen = failCode = lastScratch = 0;
    breach[0] = failName[0] = 0;
    memset(live, 0, sizeof live);
    version = 130100;
}
void lt_version(long v) { version = v; }
void lt_fail(const char *name, int nth, int code) { snprintf(failName, sizeof failName, "%s", name); failAt = nth; failSeen = 0; failCode = code; }
const char *lt_breach(void) { return breach; }
// Handles, operations, layouts, preferences.
int lt_live(int kind) { return live[kind]; }
int lt_products(void) { return products; }
int lt_scratch(void) { return lastScratch; }
