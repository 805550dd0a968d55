import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const tensors = `max_batch_size: 8
input [ { name: "INPUT", data_type: TYPE_FP32, dims: [ 16 ] } ]
output [ { name: "OUTPUT", data_type: TYPE_FP32, dims: [ 16 ] } ]
`;

/** A model of the Python backend that waits as `wait`, lines of Python, says of `rows`. */
const waiting = (wait: string): string => `import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.seen = {}

    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy() for request in requests]
        rows = sum(len(values) for values in inputs)
        ${wait}
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", values)]) for values in inputs]
`;

const step = (model: string, from: string, to: string): string =>
  `{ model_name: "${model}" model_version: -1 input_map { key: "INPUT" value: "${from}" } output_map { key: "OUTPUT" value: "${to}" } }`;

const python = (name: string, wait: string): Readonly<Record<string, string>> => ({
  [`${name}/config.pbtxt`]: `backend: "python"\n${tensors}`,
  [`${name}/1/model.py`]: waiting(wait),
});

const files: Readonly<Record<string, string>> = {
  ...python('quick', 'time.sleep(0.001)'),
  ...python('slow', 'time.sleep(0.015)'),
  'whole/config.pbtxt': `platform: "ensemble"\n${tensors}ensemble_scheduling { step [ ${step('quick', 'INPUT', 'middle')}, ${step('slow', 'middle', 'OUTPUT')} ] }\n`,
  'whole/1/.keep': '',
  ...python(
    'cold',
    'self.seen[rows] = self.seen.get(rows, 0) + 1\n        time.sleep(0.06 if self.seen[rows] <= 20 else 0.005)',
  ),
};

/** A repository with `whole`, an ensemble of which `slow` takes nearly all, and `cold`, whose first 20 executions are slow at each batch size. */
export async function writePlantedRepository(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
