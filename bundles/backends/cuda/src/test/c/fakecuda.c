// A driver without a device, for tests: device memory is host memory, and a stream is a list of work that is done when somebody
// waits for it, or when the test says so. It is strict where the real one lets things pass that break later: host memory of an
// asynchronous copy must be page-locked, memory must not be freed before the work that uses it, a call needs a current context.
// Every breach is counted and named. Kernels that tests run have a body here; all others are recorded and do nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Code;
typedef uint64_t Address;

enum {
    OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700,
    CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901, CAPTURE_ISOLATION = 905
};

// ---- what the test steers and reads ----

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread void *current;
static int devices, version, initCode, captureMode, breaches, fatal, held;
static uint64_t total, used, pinnedTotal, pinnedUsed, launches;
static char breach[256], failName[64];
static int failAt, failCode, failSeen;
static struct { char name[48]; int grid[3]; int threads; uint64_t args[32]; } last;
static struct { int streams, events, graphs, execs, modules, contexts; } live;
static int retained;
static uint64_t registered;

static void wrong(const char *what) {
    if (breaches++ == 0) snprintf(breach, sizeof breach, "%s", what);
}

static int injected(const char *name) {
    if (strcmp(name, failName) != 0 || ++failSeen != failAt) return OK;
    failName[0] = 0;
    if (failCode >= 700 && failCode < 720) fatal = failCode;
    return failCode;
}

struct Guard { int held; };
static void unguard(struct Guard *g) { if (g->held) pthread_mutex_unlock(&lock); }
static int guard(struct Guard *g) { pthread_mutex_lock(&lock); return g->held = 1; }

#define ENTER(name)                                                  \
    __attribute__((cleanup(unguard))) struct Guard g_ = {0};         \
    guard(&g_);                                                      \
    { int code_ = injected(name); if (code_) return code_; }         \
    if (fatal) return fatal
#define ENTER_CONTEXT(name) ENTER(name); if (!current) { wrong(name ": no context is current"); return INVALID_CONTEXT; }

// ---- memory ----

// Memory of the device is there once the stream that it was asked from has come to it.
struct Block { Address at; uint64_t size; int pinned, ready, borrowed; struct Block *next; };
static struct Block *blocks;

static struct Block *inside(Address at, uint64_t n, int pinned) {
    for (struct Block *b = blocks; b; b = b->next)
        if (b->pinned == pinned && at >= b->at && at + n <= b->at + b->size) return b;
    return 0;
}

static Address reserve(uint64_t n, int pinned) {
    void *p;
    if (posix_memalign(&p, pinned ? 4096 : 512, n ? n : 1)) return 0;
    memset(p, 0xCD, n);
    struct Block *b = malloc(sizeof *b);
    *b = (struct Block){(Address)p, n, pinned, pinned, 0, blocks};
    blocks = b;
    return b->at;
}

static int release(Address at, int pinned) {
    for (struct Block **b = &blocks; *b; b = &(*b)->next)
        if ((*b)->at == at && (*b)->pinned == pinned) {
            struct Block *gone = *b;
            *b = gone->next;
            *(pinned ? &pinnedUsed : &used) -= gone->size;
            if (!gone->borrowed) {
                memset((void *)gone->at, 0xDD, gone->size);
                free((void *)gone->at);
            }
            free(gone);
            return 1;
        }
    return 0;
}

// ---- streams ----

struct Event { int alive; uint64_t recorded, done; struct Stream *on; };
struct Graph { int alive; struct Work *head, *tail; uint64_t n; };
struct Work {
    enum { COPY, FILL, KERNEL, OTHER, RECORD, WAIT, ALLOCATE, FREE, REPLAY } kind;
    Address to, from; uint64_t n; int value, toPinned, fromPinned;
    struct Event *event; uint64_t ticket; struct Graph *graph;
    char name[48]; uint64_t args[32]; void (*emulated)(void **, const unsigned *, unsigned); unsigned grid[3], threads;
    void (*other)(const void *);
    struct Work *next;
};
struct Module { void *library; };
struct Function { char name[48]; void (*emulated)(void **, const unsigned *, unsigned); int shared, cluster; };
struct Stream { int alive, capturing, invalid; struct Work *head, *tail; struct Graph *graph; };
static struct Stream *streams[256];

static void run(struct Stream *s);
static int runKernel(struct Work *w);

static void touch(Address at, uint64_t n, int pinned, const char *what) {
    struct Block *b = inside(at, n, pinned);
    if (n && !b) { wrong(what); fatal = ILLEGAL_ADDRESS; }
    if (n && b && !b->ready) wrong("memory is used before it is there");
}

static void perform(struct Work *w) {
    if (fatal) return;
    switch (w->kind) {
        case COPY:
            touch(w->to, w->n, w->toPinned, "a copy writes memory that is not there");
            touch(w->from, w->n, w->fromPinned, "a copy reads memory that is not there");
            if (!fatal) memmove((void *)w->to, (void *)w->from, w->n);
            break;
        case FILL:
            touch(w->to, w->n, 0, "a fill writes memory that is not there");
            if (!fatal) memset((void *)w->to, w->value, w->n);
            break;
        case KERNEL: runKernel(w); break;
        case OTHER: w->other(w->args); break;
        case RECORD: if (w->event->done < w->ticket) w->event->done = w->ticket; break;
        case WAIT: if (w->event->done < w->ticket && w->event->on) run(w->event->on); break;
        case ALLOCATE: inside(w->to, 1, 0)->ready = 1; break;
        case FREE: if (!release(w->to, 0)) wrong("memory is freed twice"); break;
        case REPLAY: for (struct Work *x = w->graph->head; x; x = x->next) perform(x); break;
    }
}

static void run(struct Stream *s) {
    while (s->head) {
        struct Work *w = s->head;
        s->head = w->next;
        if (!s->head) s->tail = 0;
        perform(w);
        free(w);
    }
}

static Code give(struct Stream *s, struct Work w) {
    if (!s || !s->alive) { wrong("a stream that is gone is used"); return INVALID_HANDLE; }
    struct Work *own = malloc(sizeof w);
    *own = w;
    own->next = 0;
    struct Work **head = s->capturing ? &s->graph->head : &s->head, **tail = s->capturing ? &s->graph->tail : &s->tail;
    if (*tail) (*tail)->next = own; else *head = own;
    *tail = own;
    if (s->capturing) s->graph->n++;
    else if (!held) run(s);
    return fatal;
}

// ---- the driver's functions ----

Code cuInit(unsigned flags) { ENTER("cuInit"); return initCode ? initCode : devices ? OK : NO_DEVICE; }
Code cuDriverGetVersion(int *v) { *v = version; return OK; }
Code cuDeviceGetCount(int *n) { *n = devices; return OK; }
Code cuDeviceGet(int *d, int i) { ENTER("cuDeviceGet"); if (i >= devices) return INVALID_DEVICE; *d = i; return OK; }
Code cuDeviceGetName(char *name, int n, int d) { snprintf(name, n, "Fake device %d", d); return OK; }
Code cuDeviceGetUuid(unsigned char *id, int d) { for (int i = 0; i < 16; i++) id[i] = 16 * d + i; return OK; }
Code cuDeviceTotalMem_v2(uint64_t *n, int d) { *n = total; return OK; }
Code cuDeviceGetAttribute(int *v, int a, int d) {
    *v = a == 75 ? 9 : a == 76 ? 0 : a == 16 ? 8 : a == 115 || a == 95 ? 1 : 0;
    return OK;
}
Code cuDevicePrimaryCtxRetain(void **c, int d) { ENTER("cuDevicePrimaryCtxRetain"); retained++; live.contexts++; *c = &retained; return OK; }
Code cuDevicePrimaryCtxRelease_v2(int d) { live.contexts--; return OK; }
Code cuCtxSetCurrent(void *c) { ENTER("cuCtxSetCurrent"); current = c; return OK; }
Code cuDeviceGetDefaultMemPool(void **p, int d) { *p = &total; return OK; }
Code cuMemPoolSetAttribute(void *p, int a, void *v) { return OK; }
Code cuMemPoolTrimTo(void *p, uint64_t n) { return OK; }

Code cuMemAllocAsync(Address *p, uint64_t n, struct Stream *s) {
    ENTER_CONTEXT("cuMemAllocAsync");
    if (!n) return INVALID_VALUE;
    if (used + n > total) return OUT_OF_MEMORY;
    if (!(*p = reserve(n, 0))) return OUT_OF_MEMORY;
    used += n;
    return give(s, (struct Work){.kind = ALLOCATE, .to = *p});
}
Code cuMemFreeAsync(Address p, struct Stream *s) { ENTER_CONTEXT("cuMemFreeAsync"); return give(s, (struct Work){.kind = FREE, .to = p}); }
Code cuMemHostAlloc(Address *p, uint64_t n, unsigned flags) {
    ENTER_CONTEXT("cuMemHostAlloc");
    if (pinnedUsed + n > pinnedTotal) return OUT_OF_MEMORY;
    if (!(*p = reserve(n, 1))) return OUT_OF_MEMORY;
    pinnedUsed += n;
    return OK;
}
Code cuMemFreeHost(Address p) {
    ENTER_CONTEXT("cuMemFreeHost");
    if (!release(p, 1)) { wrong("page-locked memory is freed twice"); return INVALID_VALUE; }
    return OK;
}

// Memory of the caller's whose pages are locked: read only, whole pages, each once.
Code cuMemHostRegister_v2(Address p, uint64_t n, unsigned flags) {
    ENTER_CONTEXT("cuMemHostRegister");
    if (p % 4096 || n % 4096 || !n) { wrong("pages are locked that are not whole"); return INVALID_VALUE; }
    for (struct Block *b = blocks; b; b = b->next)
        if (p < b->at + b->size && b->at < p + n) return 712;
    if (!(flags & 8)) { wrong("a mapped file is locked for writing"); return INVALID_VALUE; }
    if (pinnedUsed + n > pinnedTotal) return OUT_OF_MEMORY;
    pinnedUsed += n;
    registered += n;
    struct Block *b = malloc(sizeof *b);
    *b = (struct Block){p, n, 1, 1, 1, blocks};
    blocks = b;
    return OK;
}
Code cuMemHostUnregister(Address p) {
    ENTER_CONTEXT("cuMemHostUnregister");
    if (!release(p, 1)) { wrong("pages are unlocked that were not locked"); return INVALID_VALUE; }
    return OK;
}

static Code copy(struct Stream *s, Address to, int toPinned, Address from, int fromPinned, uint64_t n) {
    if ((toPinned && !inside(to, n, 1)) || (fromPinned && !inside(from, n, 1))) {
        wrong("an asynchronous copy of host memory that is not page-locked");
        return INVALID_VALUE;
    }
    return give(s, (struct Work){.kind = COPY, .to = to, .from = from, .n = n, .toPinned = toPinned, .fromPinned = fromPinned});
}
Code cuMemcpyHtoDAsync_v2(Address to, Address from, uint64_t n, struct Stream *s) { ENTER_CONTEXT("cuMemcpyHtoDAsync"); return copy(s, to, 0, from, 1, n); }
Code cuMemcpyDtoHAsync_v2(Address to, Address from, uint64_t n, struct Stream *s) { ENTER_CONTEXT("cuMemcpyDtoHAsync"); return copy(s, to, 1, from, 0, n); }
Code cuMemcpyDtoDAsync_v2(Address to, Address from, uint64_t n, struct Stream *s) { ENTER_CONTEXT("cuMemcpyDtoDAsync"); return copy(s, to, 0, from, 0, n); }
Code cuMemsetD8Async(Address to, unsigned char v, uint64_t n, struct Stream *s) {
    ENTER_CONTEXT("cuMemsetD8Async");
    return give(s, (struct Work){.kind = FILL, .to = to, .value = v, .n = n});
}

Code cuStreamCreate(struct Stream **s, unsigned flags) {
    ENTER_CONTEXT("cuStreamCreate");
    *s = calloc(1, sizeof **s);
    (*s)->alive = 1;
    for (int i = 0; i < 256; i++) if (!streams[i]) { streams[i] = *s; break; }
    live.streams++;
    return OK;
}
Code cuStreamDestroy_v2(struct Stream *s) {
    ENTER_CONTEXT("cuStreamDestroy");
    if (!s->alive) { wrong("a stream is destroyed twice"); return INVALID_HANDLE; }
    if (s->head) wrong("a stream is destroyed while it has work");
    s->alive = 0;
    for (int i = 0; i < 256; i++) if (streams[i] == s) streams[i] = 0;
    live.streams--;
    return OK;
}
static Code unlessCapturing(struct Stream *s) {
    if (!s->alive) { wrong("a stream that is gone is used"); return INVALID_HANDLE; }
    if (!s->capturing) return OK;
    s->invalid = 1;
    wrong("a stream is waited for while it captures");
    return CAPTURE_UNSUPPORTED;
}
Code cuStreamSynchronize(struct Stream *s) {
    ENTER_CONTEXT("cuStreamSynchronize");
    Code code = unlessCapturing(s);
    if (!code) run(s);
    return code ? code : fatal;
}
Code cuStreamQuery(struct Stream *s) {
    ENTER_CONTEXT("cuStreamQuery");
    Code code = unlessCapturing(s);
    return code ? code : s->head ? NOT_READY : OK;
}
Code cuStreamWaitEvent(struct Stream *s, struct Event *e, unsigned flags) {
    ENTER_CONTEXT("cuStreamWaitEvent");
    if (!e->alive) { wrong("an event that is gone is used"); return INVALID_HANDLE; }
    if (s->capturing) { s->invalid = 1; wrong("a capture waits for an event outside of it"); return CAPTURE_ISOLATION; }
    return give(s, (struct Work){.kind = WAIT, .event = e, .ticket = e->recorded});
}

Code cuEventCreate(struct Event **e, unsigned flags) {
    ENTER_CONTEXT("cuEventCreate");
    *e = calloc(1, sizeof **e);
    (*e)->alive = 1;
    live.events++;
    return OK;
}
Code cuEventDestroy_v2(struct Event *e) {
    ENTER_CONTEXT("cuEventDestroy");
    if (!e->alive) { wrong("an event is destroyed twice"); return INVALID_HANDLE; }
    e->alive = 0;
    live.events--;
    return OK;
}
Code cuEventRecord(struct Event *e, struct Stream *s) {
    ENTER_CONTEXT("cuEventRecord");
    if (!e->alive) { wrong("an event that is gone is used"); return INVALID_HANDLE; }
    if (s->capturing) { s->invalid = 1; wrong("an event is recorded inside a capture"); return CAPTURE_ISOLATION; }
    e->on = s;
    e->recorded++;
    return give(s, (struct Work){.kind = RECORD, .event = e, .ticket = e->recorded});
}
Code cuEventQuery(struct Event *e) {
    ENTER_CONTEXT("cuEventQuery");
    if (!e->alive) { wrong("an event that is gone is used"); return INVALID_HANDLE; }
    return e->done >= e->recorded ? OK : NOT_READY;
}
Code cuEventSynchronize(struct Event *e) {
    ENTER_CONTEXT("cuEventSynchronize");
    if (!e->alive) { wrong("an event that is gone is used"); return INVALID_HANDLE; }
    if (e->done < e->recorded) run(e->on);
    return fatal;
}

Code cuStreamBeginCapture_v2(struct Stream *s, int mode) {
    ENTER_CONTEXT("cuStreamBeginCapture");
    if (s->capturing) return CAPTURE_UNSUPPORTED;
    captureMode = mode;
    s->capturing = 1;
    s->invalid = 0;
    s->graph = calloc(1, sizeof *s->graph);
    s->graph->alive = 1;
    live.graphs++;
    return OK;
}
Code cuStreamEndCapture(struct Stream *s, struct Graph **g) {
    ENTER_CONTEXT("cuStreamEndCapture");
    if (!s->capturing) return CAPTURE_UNSUPPORTED;
    s->capturing = 0;
    *g = s->graph;
    return s->invalid ? CAPTURE_INVALIDATED : OK;
}
Code cuGraphGetNodes(struct Graph *g, void **nodes, uint64_t *n) { ENTER_CONTEXT("cuGraphGetNodes"); if (nodes) wrong("nodes are asked for"); *n = g->n; return OK; }
Code cuGraphInstantiateWithFlags(struct Graph **e, struct Graph *g, uint64_t flags) {
    ENTER_CONTEXT("cuGraphInstantiate");
    *e = calloc(1, sizeof **e);
    **e = *g;
    live.execs++;
    return OK;
}
Code cuGraphLaunch(struct Graph *e, struct Stream *s) {
    ENTER_CONTEXT("cuGraphLaunch");
    if (!e->alive) { wrong("a graph that is gone is launched"); return INVALID_HANDLE; }
    return give(s, (struct Work){.kind = REPLAY, .graph = e});
}
Code cuGraphDestroy(struct Graph *g) { ENTER_CONTEXT("cuGraphDestroy"); live.graphs -= g->alive; g->alive = 0; return OK; }
Code cuGraphExecDestroy(struct Graph *e) {
    ENTER_CONTEXT("cuGraphExecDestroy");
    if (!e->alive) wrong("a graph is destroyed twice");
    e->alive = 0;
    live.execs--;
    return OK;
}

// ---- kernels ----

// Machine code of the host, as long as its headers say.
static void *load(const char *image) {
    uint64_t sections = *(uint64_t *)(image + 40), size = sections + (uint64_t) *(uint16_t *)(image + 58) * *(uint16_t *)(image + 60);
    char name[] = "/tmp/vt-moduleXXXXXX";
    int file = mkstemp(name);
    void *library = file >= 0 && write(file, image, size) == (ssize_t)size ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : 0;
    if (!library) fprintf(stderr, "%s\n", dlerror());
    close(file);
    unlink(name);
    return library;
}
Code cuModuleLoadData(struct Module **m, const char *image) {
    ENTER_CONTEXT("cuModuleLoadData");
    struct Module *made = calloc(1, sizeof *made);
    if (strncmp(image, "\177ELF", 4) == 0) {
        if (!(made->library = load(image))) return INVALID_IMAGE;
    } else if (strncmp(image, "FAKE", 4) != 0) {
        return INVALID_IMAGE;
    }
    *m = made;
    live.modules++;
    return OK;
}
Code cuModuleUnload(struct Module *m) { ENTER_CONTEXT("cuModuleUnload"); live.modules--; return OK; }
Code cuModuleGetFunction(struct Function **f, struct Module *m, const char *name) {
    ENTER_CONTEXT("cuModuleGetFunction");
    char symbol[128];
    snprintf(symbol, sizeof symbol, "emulate_%s", name);
    struct Function *made = calloc(1, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", name);
    made->shared = 48 << 10;
    made->cluster = 1;
    if (m->library && !(made->emulated = dlsym(m->library, symbol))) return NOT_FOUND;
    if (strncmp(name, "missing", 7) == 0) return NOT_FOUND;
    *f = made;
    return OK;
}
// 8: the most dynamic shared memory of a launch. 11 to 13: blocks of a cluster in each dimension.
Code cuFuncSetAttribute(struct Function *f, int what, int value) {
    ENTER_CONTEXT("cuFuncSetAttribute");
    if (what >= 11 && what <= 13) { if (what == 11) f->cluster = value; return OK; }
    if (what != 8 || value < 0 || value > 227 << 10) return INVALID_VALUE;
    f->shared = value;
    return OK;
}
// Whether the device breaks down now: a test in another process puts a file beside this library.
static int breaksDown(void) {
    Dl_info own;
    char name[600];
    if (!dladdr(&lock, &own)) return 0;
    snprintf(name, sizeof name, "%s.breaks", own.dli_fname);
    return access(name, F_OK) == 0;
}
static int describes;
// A description of a matrix begins with its address here. Without the test's leave the driver can't make one.
Code cuTensorMapEncodeTiled(Address *map, int type, unsigned rank, void *at, const uint64_t *dims, const uint64_t *strides, const unsigned *box,
                            const unsigned *steps, int interleave, int swizzle, int promotion, int fill) {
    if (!current) { wrong("cuTensorMapEncodeTiled: no context is current"); return INVALID_CONTEXT; }
    if (describes-- <= 0) return describes = 0, 801;
    if ((Address)map % 64 || (Address)at % 16 || rank != 3 || !dims[0] || !dims[1] || !dims[2] || strides[0] % 16 || strides[1] % 16 || (box[0] != 64 && box[0] != 128)
        || box[1] > 256 || box[2] != 1 || steps[0] != 1 || swizzle != 3) return INVALID_VALUE;
    memset(map, 0, 128);
    *map = (Address)at;
    return OK;
}
// Takes 32 arguments whatever the kernel, which is what the backend's buffer holds.
Code cuLaunchKernel(struct Function *f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, struct Stream *s,
                    void **params, void **extra) {
    ENTER_CONTEXT("cuLaunchKernel");
    if (!x || !y || !z || !bx || bx * by * bz > 1024 || y > 65535 || z > 65535 || shared > (uint64_t)f->shared || x % f->cluster) return INVALID_VALUE;
    struct Work w = {.kind = KERNEL};
    memcpy(w.name, f->name, sizeof w.name);
    w.emulated = f->emulated;
    w.grid[0] = x; w.grid[1] = y; w.grid[2] = z; w.threads = bx;
    for (int i = 0; i < 32; i++) memcpy(&w.args[i], params[i], 8);
    if (breaksDown()) fatal = ILLEGAL_ADDRESS;
    launches++;
    memcpy(last.name, w.name, sizeof w.name);
    memcpy(last.args, w.args, sizeof w.args);
    last.grid[0] = x; last.grid[1] = y; last.grid[2] = z; last.threads = bx;
    return give(s, w);
}

struct Fault { int flag, pad; volatile int64_t *host; };
#define ARG(type, i) (*(type *)&w->args[i])

// Integers of one range, or a fault.
static int allInside(struct Fault *fault, Address values, int wide, int64_t n, int64_t low, int64_t high, int site) {
    for (int64_t i = 0; i < n; i++) {
        int64_t v = wide ? ((int64_t *)values)[i] : ((int *)values)[i];
        if (v < low || v > high) {
            fault->flag = 1;
            fault->host[1] = i; fault->host[2] = low; fault->host[3] = high; fault->host[4] = v;
            fault->host[0] = site;
            return 0;
        }
    }
    return 1;
}

static int runKernel(struct Work *w) {
    struct Fault *fault = ARG(struct Fault *, 0);
    touch((Address)fault, sizeof *fault, 0, "a kernel is given a record of faults that is not there");
    if (fatal) return 0;
    if (w->emulated) {
        void *args[32];
        for (int i = 0; i < 32; i++) args[i] = &w->args[i];
        w->emulated(args, w->grid, w->threads);
    } else if (strcmp(w->name, "fault_enter") == 0) {
        ARG(struct Fault *, 1)->flag = fault->flag;
    } else if (strcmp(w->name, "fault_leave") == 0) {
        struct Fault *graph = ARG(struct Fault *, 1);
        if (graph->flag && !fault->flag) {
            fault->flag = 1;
            for (int i = 4; i >= 0; i--) fault->host[i] = graph->host[i];
        }
        graph->flag = 0;
        graph->host[0] = 0;
    } else if (fault->flag) {
        return 0;
    } else if (strcmp(w->name, "check_range") == 0) {
        allInside(fault, w->args[1], ARG(int, 2), ARG(int64_t, 3), ARG(int64_t, 4), ARG(int64_t, 5), ARG(int, 6));
    } else if (strcmp(w->name, "embedding_f32_f32") == 0) {
        if (!allInside(fault, w->args[3], ARG(int, 4), ARG(int64_t, 7), 0, ARG(int64_t, 8), ARG(int, 9))) return 0;
        for (int64_t i = 0, n = ARG(int64_t, 5), cols = ARG(int64_t, 6); i < n; i++) {
            int64_t id = ARG(int, 4) ? ARG(int64_t *, 3)[i / cols] : ARG(int *, 3)[i / cols];
            ARG(float *, 1)[i] = ARG(float *, 2)[id * cols + i % cols];
        }
    } else if (strcmp(w->name, "add_f32_f32") == 0) {
        int64_t n = ARG(int64_t, 5), period = ARG(int64_t, 6);
        touch(w->args[1], 4 * n, 0, "a kernel writes memory that is not there");
        touch(w->args[2], 4 * n, 0, "a kernel reads memory that is not there");
        for (int64_t i = 0; i < n && !fatal; i++) ARG(float *, 1)[i] = ARG(float *, 2)[i] + ARG(float *, 3)[i % period];
    }
    return 0;
}

Code cuGetErrorName(int code, const char **name) {
    *name = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : code == INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE" : code == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_OTHER";
    return OK;
}
Code cuGetErrorString(int code, const char **text) { *text = "as the test wants it"; return OK; }

// ---- for other libraries that stand in for NVIDIA's ----

// Work of such a library, done in the order of the stream with a copy of up to 256 bytes of arguments.
Code fake_submit(struct Stream *s, void (*work)(const void *), const void *args, uint64_t n) {
    ENTER_CONTEXT("fake_submit");
    struct Work w = {.kind = OTHER, .other = work};
    memcpy(w.args, args, n);
    return give(s, w);
}
// Says that the work under way uses memory of the device; 0 when it is not there.
int fake_touch(Address at, uint64_t n, const char *what) { touch(at, n, 0, what); return !fatal; }
int fake_has_context(void) { return current != 0; }

// ---- for the test ----

// The driver can describe so many matrices.
void fake_describes(int n) { describes = n; }

__attribute__((constructor)) void fake_reset(void) {
    pthread_mutex_lock(&lock);
    devices = 1; version = 13000; initCode = 0; captureMode = -1; breaches = fatal = held = 0;
    total = 1ull << 28; pinnedTotal = 1ull << 28;
    breach[0] = failName[0] = 0;
    launches = registered = describes = 0;
    memset(&last, 0, sizeof last);
    memset(&live, 0, sizeof live);
    memset(streams, 0, sizeof streams);
    while (blocks) release(blocks->at, blocks->pinned);
    used = pinnedUsed = 0;
    pthread_mutex_unlock(&lock);
}
void fake_devices(int n) { devices = n; }
void fake_version(int v) { version = v; }
void fake_init_code(int code) { initCode = code; }
void fake_memory(uint64_t bytes, uint64_t pinned) { total = bytes; pinnedTotal = pinned; }
void fake_fail(const char *name, int nth, int code) { snprintf(failName, sizeof failName, "%s", name); failAt = nth; failCode = code; failSeen = 0; }
// 1: work stays in its stream until somebody waits for it; 0: it is done at once, what is there included.
void fake_hold(int on) {
    pthread_mutex_lock(&lock);
    held = on;
    for (int i = 0; !on && i < 256; i++) if (streams[i]) run(streams[i]);
    pthread_mutex_unlock(&lock);
}
int fake_breaches(void) { return breaches; }
const char *fake_breach(void) { return breach; }
int fake_capture_mode(void) { return captureMode; }
uint64_t fake_launches(void) { return launches; }
const char *fake_launched(void) { return last.name; }
uint64_t fake_argument(int i) { return last.args[i]; }
int fake_grid(int i) { return i < 3 ? last.grid[i] : last.threads; }
uint64_t fake_used(void) { return used; }
uint64_t fake_pinned_used(void) { return pinnedUsed; }
uint64_t fake_registered(void) { return registered; }
int fake_live(int kind) {
    int all[] = {live.streams, live.events, live.graphs, live.execs, live.modules, live.contexts};
    return all[kind];
}
