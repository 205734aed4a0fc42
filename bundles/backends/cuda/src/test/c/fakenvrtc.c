// A compiler for tests. Its machine code is a mark and the source, or, once the test has named emulate.h, a library
// for the host.
// A source with the word MISTAKE does not compile.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Program { char *source, *image; uint64_t size; };
static int compiled;
static char prelude[512];

int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 3; return 0; }
int nvrtcGetSupportedArchs(int *archs) { archs[0] = 75; archs[1] = 80; archs[2] = 90; return 0; }
int nvrtcCreateProgram(struct Program **p, const char *source, const char *name, int n, const char **headers, const char **names) {
    *p = calloc(1, sizeof **p);
    (*p)->source = strdup(source);
    return 0;
}
// Compiles for the host: the source behind emulate.h, and one entry for each kernel that the preprocessor finds in it.
static int build(struct Program *p) {
    char folder[] = "/tmp/vt-emulateXXXXXX", line[2048];
    if (!mkdtemp(folder)) return 1;
    snprintf(line, sizeof line, "%s/kernels.cc", folder);
    FILE *f = fopen(line, "w");
    if (!f) return 1;
    fprintf(f, "#include \"%s\"\n%s\n", prelude, p->source);
    fclose(f);
    snprintf(line, sizeof line,
             "cd %s && sed -e '1s/.*/#define __global__ __global__/' kernels.cc | g++ -E -P -x c++ - 2>>log"
             " | sed 's/__launch_bounds__([^)]*) *//g'"
             " | grep -o '__global__ void [a-z0-9_]*' | sed 's/.* \\(.*\\)/EMULATE(\\1)/' > entries"
             " && cat entries >> kernels.cc"
             " && g++ -std=c++20 -O1 -w -ffp-contract=off -shared -fPIC -o kernels.so kernels.cc 2>>log", folder);
    int code = system(line);
    if (code == 0) {
        snprintf(line, sizeof line, "%s/kernels.so", folder);
        f = fopen(line, "r");
        fseek(f, 0, SEEK_END);
        p->size = ftell(f);
        rewind(f);
        p->image = malloc(p->size);
        if (fread(p->image, 1, p->size, f) != p->size) code = 1;
        fclose(f);
    } else {
        snprintf(line, sizeof line, "cat %s/log >&2", folder);
        if (system(line)) code = 1;
    }
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line) || code;
}
int nvrtcCompileProgram(struct Program *p, int n, const char **options) {
    compiled++;
    if (strstr(p->source, "MISTAKE")) return 6;
    if (prelude[0]) return build(p) ? 6 : 0;
    p->size = strlen(p->source) + 6;
    p->image = malloc(p->size);
    sprintf(p->image, "FAKE\n%s", p->source);
    return 0;
}
static const char MESSAGE[] = "line 1: a mistake";
int nvrtcGetProgramLogSize(struct Program *p, uint64_t *n) { *n = sizeof MESSAGE; return 0; }
int nvrtcGetProgramLog(struct Program *p, char *text) { memcpy(text, MESSAGE, sizeof MESSAGE); return 0; }
int nvrtcGetCUBINSize(struct Program *p, uint64_t *n) { *n = p->size; return 0; }
int nvrtcGetCUBIN(struct Program *p, char *image) { memcpy(image, p->image, p->size); return 0; }
int nvrtcGetPTXSize(struct Program *p, uint64_t *n) { return nvrtcGetCUBINSize(p, n); }
int nvrtcGetPTX(struct Program *p, char *image) { return nvrtcGetCUBIN(p, image); }
int nvrtcDestroyProgram(struct Program **p) { free((*p)->source); free((*p)->image); free(*p); return 0; }
void fake_emulate(const char *file) { snprintf(prelude, sizeof prelude, "%s", file); }
int fake_compiled(void) { return compiled; }
