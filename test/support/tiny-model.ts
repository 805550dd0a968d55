import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatConfigPbtxt } from '../../main/triton/config/config-pbtxt';
import type { ModelConfig } from '../../main/triton/model-config';

/**
 * OUTPUT__0 = 2 * INPUT__0. Input value 13 ends the stub process without a word, 7 gives NaN: the two ways in which
 * a served model is broken while Triton says "ready".
 */
const doubling = `import os
import time
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        # A load generator leaves the processors to the tests beside it.
        time.sleep(0.002)
        responses = []
        for request in requests:
            values = pb_utils.get_input_tensor_by_name(request, "INPUT__0").as_numpy()
            if (values == 13).any():
                os._exit(0)
            doubled = np.where(values == 7, np.nan, values * 2).astype(np.float32)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT__0", doubled)]))
        return responses
`;

const failing = `raise ImportError("the weights of this model are on the moon")
`;

export const tinyConfig: ModelConfig = {
  name: 'tiny',
  backend: 'python',
  versionPolicy: { specific: { versions: [1] } },
  maxBatchSize: 4,
  input: [{ name: 'INPUT__0', dataType: 'TYPE_FP32', dims: [3] }],
  output: [{ name: 'OUTPUT__0', dataType: 'TYPE_FP32', dims: [3] }],
  instanceGroup: [{ count: 2, kind: 'KIND_CPU' }],
  dynamicBatching: { preferredBatchSize: [2, 4], maxQueueDelayMicroseconds: 100 },
  parameters: { note: { stringValue: 'a "quoted" text' } },
};

async function writeModel(repository: string, config: ModelConfig, code: string): Promise<void> {
  await mkdir(join(repository, config.name, '1'), { recursive: true });
  await writeFile(join(repository, config.name, 'config.pbtxt'), formatConfigPbtxt(config));
  await writeFile(join(repository, config.name, '1', 'model.py'), code);
}

/** A repository with the model `tiny`, and `broken`, which cannot be loaded. */
export async function writeTinyRepository(repository: string): Promise<void> {
  await writeModel(repository, tinyConfig, doubling);
  await writeModel(repository, { ...tinyConfig, name: 'broken' }, failing);
}
