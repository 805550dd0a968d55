import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a stub keeps per request, and the server per load, bytes. */
export const planted = { perRequest: 1000, perLoad: 2_000_000 } as const;

const tensors = `input [ { name: "x", data_type: TYPE_FP32, dims: [ 4 ] } ]
output [ { name: "y", data_type: TYPE_FP32, dims: [ 1 ] } ]
`;

/** Every tenth request keeps ten requests' worth, in one piece of its own. */
const python = (keeps: boolean) => `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.kept = []
        self.answered = 0

    def execute(self, requests):
        for _ in requests:
            self.answered += 1
            if ${keeps ? 'True' : 'False'} and self.answered % 10 == 0:
                self.kept.append(bytes(bytearray(${10 * planted.perRequest})))
        answer = np.zeros([1], dtype=np.float32)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", answer)]) for _ in requests]
`;

/** A backend in C whose model keeps memory in the server's own process when it is unloaded. */
const backend = `#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef struct Error Error;
Error* TRITONBACKEND_ResponseNew(void** response, void* request);
Error* TRITONBACKEND_ResponseOutput(void* response, void** output, const char* name, int type, const int64_t* shape, uint32_t dims);
Error* TRITONBACKEND_OutputBuffer(void* output, void** buffer, uint64_t bytes, int* memory, int64_t* id);
Error* TRITONBACKEND_ResponseSend(void* response, uint32_t flags, Error* error);
Error* TRITONBACKEND_RequestRelease(void* request, uint32_t flags);
Error* TRITONBACKEND_ModelInstanceReportStatistics(void* instance, void* request, _Bool ok, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
static uint64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  return (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec;
}
Error* TRITONBACKEND_ModelInitialize(void* model) {
  volatile char* kept = malloc(${planted.perLoad});
  for (int at = 0; at < ${planted.perLoad}; at += 1024) kept[at] = 1;
  return 0;
}
Error* TRITONBACKEND_ModelInstanceExecute(void* instance, void** requests, const uint32_t count) {
  for (uint32_t at = 0; at < count; at += 1) {
    uint64_t begun = now();
    void *response = 0, *output = 0, *buffer = 0;
    int64_t shape[1] = {1}, id = 0;
    int memory = 0;
    TRITONBACKEND_ResponseNew(&response, requests[at]);
    TRITONBACKEND_ResponseOutput(response, &output, "y", 11, shape, 1);
    TRITONBACKEND_OutputBuffer(output, &buffer, 4, &memory, &id);
    memset(buffer, 0, 4);
    TRITONBACKEND_ResponseSend(response, 1, 0);
    TRITONBACKEND_ModelInstanceReportStatistics(instance, requests[at], 1, begun, begun, now(), now());
    TRITONBACKEND_RequestRelease(requests[at], 1);
  }
  return 0;
}
`;

/** Writes `stub`, `plain` and `server`. Needs gcc. */
export async function writeLeakingModels(repository: string): Promise<void> {
  for (const [name, source] of [
    ['stub', python(true)],
    ['plain', python(false)],
  ] as const) {
    await mkdir(join(repository, name, '1'), { recursive: true });
    await writeFile(join(repository, name, 'config.pbtxt'), `backend: "python"\n${tensors}`);
    await writeFile(join(repository, name, '1', 'model.py'), source);
  }
  const version = join(repository, 'server', '1');
  await mkdir(version, { recursive: true });
  await writeFile(join(repository, 'server', 'config.pbtxt'), `backend: "leak"\n${tensors}`);
  const file = join(version, 'leak.c');
  await writeFile(file, backend);
  const library = join(version, 'libtriton_leak.so');
  await promisify(execFile)('gcc', ['-O1', '-shared', '-fPIC', '-o', library, file]);
}
