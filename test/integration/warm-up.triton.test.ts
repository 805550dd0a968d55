import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { warmUpRequests } from '../../main/formats/warm-up';
import { formatConfigPbtxt } from '../../main/triton/config/config-pbtxt';
import { modelConfigSchema } from '../../main/triton/model-config';
import { startTestTriton, type TestTriton } from '../support/triton';

const warmUp = { warmup: 'random' as const, warmupBatchSizes: [1, 2, 8], preferredBatchSizes: [] };
const served = { maxBatchSize: 8, input: [{ name: 'INPUT', dataType: 'TYPE_FP32', dims: [16] }] };

let dir: string;
let triton: TestTriton;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-warm-up-'));
  const text = formatConfigPbtxt(modelConfigSchema.parse({ modelWarmup: warmUpRequests(warmUp, served) }));
  triton = await startTestTriton([
    {
      name: 'noting',
      execute: '',
      // A batch of the warm-up comes as so many requests at once, as from a dynamic batcher.
      source: `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        with open("${join(dir, 'sizes')}", "a") as sizes:
            sizes.write(f"{len(requests)}\\n")
        inputs = [pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", values)]) for values in inputs]
`,
      maxBatchSize: served.maxBatchSize,
      config: text.slice(text.indexOf('model_warmup')),
    },
  ]);
});
afterAll(async () => {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
});

it('Triton sends a model each batch size of its warm-up before it is ready', async () => {
  expect((await readFile(join(dir, 'sizes'), 'utf8')).trim().split('\n')).toEqual(['1', '2', '8']);
});
