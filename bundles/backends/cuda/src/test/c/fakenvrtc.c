// A compiler that compiles nothing, for tests: the machine code is a mark and the source. A source with the word MISTAKE does
// not compile.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Program { char *source, *target; };
static int compiled;

int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 3; return 0; }
int nvrtcGetSupportedArchs(int *archs) { archs[0] = 75; archs[1] = 80; archs[2] = 90; return 0; }
int nvrtcCreateProgram(struct Program **p, const char *source, const char *name, int n, const char **headers, const char **names) {
    *p = calloc(1, sizeof **p);
    (*p)->source = strdup(source);
    return 0;
}
int nvrtcCompileProgram(struct Program *p, int n, const char **options) {
    compiled++;
    p->target = strdup(options[0]);
    return strstr(p->source, "MISTAKE") ? 6 : 0;
}
static const char MESSAGE[] = "line 1: a mistake";
int nvrtcGetProgramLogSize(struct Program *p, uint64_t *n) { *n = sizeof MESSAGE; return 0; }
int nvrtcGetProgramLog(struct Program *p, char *text) { memcpy(text, MESSAGE, sizeof MESSAGE); return 0; }
int nvrtcGetCUBINSize(struct Program *p, uint64_t *n) { *n = strlen(p->source) + 6; return 0; }
int nvrtcGetCUBIN(struct Program *p, char *image) { sprintf(image, "FAKE\n%s", p->source); return 0; }
int nvrtcGetPTXSize(struct Program *p, uint64_t *n) { return nvrtcGetCUBINSize(p, n); }
int nvrtcGetPTX(struct Program *p, char *image) { return nvrtcGetCUBIN(p, image); }
int nvrtcDestroyProgram(struct Program **p) { free((*p)->source); free((*p)->target); free(*p); return 0; }
int fake_compiled(void) { return compiled; }
