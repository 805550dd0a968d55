import type { TestModel } from './triton';

/** Takes anything and answers one number per item. */
const source = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        answers = []
        for request in requests:
            items = request.inputs()[0].as_numpy().shape[0]
            output = pb_utils.Tensor("OUTPUT", np.zeros((items, 1), np.float32))
            answers.append(pb_utils.InferenceResponse([output]))
        return answers
`;

const taking = (name: string, inputs: string, maxBatchSize = 8): TestModel => ({
  ...{ name, execute: '', source, maxBatchSize },
  tensors: `input [ ${inputs} ]
output [ { name: "OUTPUT" data_type: TYPE_FP32 dims: [ ${maxBatchSize === 0 ? '-1, 1' : '1'} ] } ]`,
});
const tensor = (name: string, type: string, dims: string, more = ''): string =>
  `{ name: "${name}" data_type: TYPE_${type} dims: [ ${dims} ]${more} }`;

/** Models of the inputs that people send with perf. */
export const dataModels: readonly TestModel[] = [
  taking('texts', tensor('TEXT', 'STRING', '1')),
  taking('row', tensor('IN0', 'STRING', '16')),
  taking('table', tensor('IN0', 'FP32', '5')),
  taking('candidates', tensor('ids', 'INT64', '-1, 1'), 0),
  taking('scalar', tensor('x', 'FP32', '1')),
  taking('optional', `${tensor('a', 'FP32', '4')}, ${tensor('b', 'FP32', '4', ' optional: true')}`),
  taking('request', tensor('req', 'STRING', '1')),
];
