import type { TestModel } from './triton';

/**
 * A decoupled model with the input names of a language model and known delays: the first token 80 ms after the request,
 * each further one 20 ± 5 ms after the one before. Each token is the time at which the model sends it, in nanoseconds
 * since 1970; the first one begins with the time of the request and "/". A prompt with "stall" has one pause of a second,
 * one with "fail" an error after two tokens.
 */
export const languageModel: TestModel = {
  name: 'lm',
  execute: '',
  maxBatchSize: 0,
  config: 'model_transaction_policy { decoupled: true }',
  tensors: `input [
  { name: "text_input" data_type: TYPE_STRING dims: [ 1 ] },
  { name: "stream" data_type: TYPE_BOOL dims: [ 1 ] optional: true },
  { name: "max_tokens" data_type: TYPE_INT32 dims: [ 1 ] optional: true }
]
output [ { name: "text_output" data_type: TYPE_STRING dims: [ 1 ] } ]`,
  source: `import random
import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            begun = time.time_ns()
            prompt = self.read(request, "text_input", b"").decode()
            stream = bool(self.read(request, "stream", False))
            tokens = int(self.read(request, "max_tokens", 4))
            sender = request.get_response_sender()
            threading.Thread(target=self.speak, args=(sender, begun, prompt, stream, tokens)).start()

    def read(self, request, name, usual):
        tensor = pb_utils.get_input_tensor_by_name(request, name)
        return usual if tensor is None else tensor.as_numpy().ravel()[0]

    def send(self, sender, text):
        output = pb_utils.Tensor("text_output", np.array([text.encode()], np.object_))
        sender.send(pb_utils.InferenceResponse([output]))

    def speak(self, sender, begun, prompt, stream, tokens):
        due = begun + 80_000_000
        whole = ""
        for index in range(tokens):
            if "fail" in prompt and index == 2:
                error = pb_utils.TritonError("asked to fail")
                sender.send(pb_utils.InferenceResponse(error=error), flags=FINAL)
                return
            if "stall" in prompt and index == tokens - 1:
                due += 1_000_000_000
            time.sleep(max(0, due - time.time_ns()) / 1e9)
            now = time.time_ns()
            text = f"{begun}/{now}" if index == 0 else f" {now}"
            whole += text
            if stream:
                self.send(sender, text)
            due = now + random.randint(15_000_000, 25_000_000)
        if not stream:
            self.send(sender, whole)
        sender.send(flags=FINAL)
`,
};
