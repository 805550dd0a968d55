import type { TestModel } from './triton';

const control = (name: string, kind: string, type: string) =>
  `{ name: "${name}" control [ { kind: ${kind} ${type} } ] }`;

/** Tells the Python model which sequence a request belongs to. */
const sequenceBatching = `sequence_batching {
  direct { }
  max_sequence_idle_microseconds: 60000000
  control_input [
    ${control('START', 'CONTROL_SEQUENCE_START', 'int32_false_true: [ 0, 1 ]')},
    ${control('END', 'CONTROL_SEQUENCE_END', 'int32_false_true: [ 0, 1 ]')},
    ${control('CORRID', 'CONTROL_SEQUENCE_CORRID', 'data_type: TYPE_UINT64')}
  ]
}`;

/**
 * Adds up the first value of every request of a sequence. Samples carry 1, 2, 3, ... in turn, and each sequence begins at
 * the first: a request that is lost, doubled, out of order or of another sequence is refused. With a second value of 1 the
 * last request may be any: perf_analyzer ends its open sequences with the last entry of their stream.
 */
export const accumulatingModel: TestModel = {
  name: 'accumulate',
  execute: '',
  maxBatchSize: 8,
  outputElements: 1,
  config: sequenceBatching,
  source: `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.open = {}

    def execute(self, requests):
        return [self.one(request) for request in requests]

    def one(self, request):
        def read(name):
            return pb_utils.get_input_tensor_by_name(request, name).as_numpy().ravel()

        start, end, key = int(read("START")[0]), int(read("END")[0]), int(read("CORRID")[0])
        value = int(read("INPUT")[0])
        fault = ""
        if start:
            if key in self.open:
                fault = f"sequence {key} starts again"
            self.open[key] = []
        elif key not in self.open:
            fault = f"sequence {key} never started"
        seen = self.open.setdefault(key, [])
        seen.append(value)
        counted = seen[:-1] if end and int(read("INPUT")[1]) == 1 else seen
        if not fault and counted != list(range(1, len(counted) + 1)):
            fault = f"sequence {key} out of order: {seen}"
        if end:
            del self.open[key]
        if fault:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(fault))
        output = np.array([[float(sum(seen))]], np.float32)
        return pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", output)])
`,
};

/** Answers as often as the request's first value says, with a pause before each; the second value is 1: an error, 2: NaN. */
export const talkativeModel: TestModel = {
  name: 'talk',
  execute: '',
  maxBatchSize: 0,
  config: 'model_transaction_policy { decoupled: true }',
  source: `import time

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            values = pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy()
            sender = request.get_response_sender()
            for index in range(int(values[0])):
                time.sleep(0.01)
                value = float("nan") if values[1] == 2 and index == 1 else index
                output = pb_utils.Tensor("OUTPUT", np.array([value], np.float32))
                sender.send(pb_utils.InferenceResponse([output]))
            if values[1] == 1:
                error = pb_utils.TritonError("asked to fail")
                sender.send(pb_utils.InferenceResponse(error=error), flags=FINAL)
            else:
                time.sleep(0.01)
                sender.send(flags=FINAL)
`,
};
