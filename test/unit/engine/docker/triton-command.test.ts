import { expect, it } from 'vitest';
import { tritonCommand } from '../../../../main/engine/docker/triton-command';

const common = [
  'tritonserver',
  '--model-repository=/models',
  '--model-control-mode=explicit',
  '--http-address=0.0.0.0',
  '--http-port=8000',
  '--grpc-address=0.0.0.0',
  '--grpc-port=8001',
  '--metrics-port=8002',
];

it("is that of NVIDIA's image with GPUs", () => {
  expect(tritonCommand({ builtHere: false, gpus: true })).toEqual([...common, '--exit-timeout-secs=5']);
});

it('is that of the image built here, which has its backends elsewhere and no GPU', () => {
  expect(tritonCommand({ builtHere: true, gpus: false })).toEqual([
    ...common,
    '--backend-directory=/opt/workbench/triton/backends',
    '--disable-auto-complete-config',
    '--allow-gpu-metrics=false',
    '--exit-timeout-secs=5',
  ]);
});

it('says that clients may pass tensors through shared memory, where Triton is to be told', () => {
  expect(tritonCommand({ builtHere: false, gpus: true, clientSharedMemory: true })).toEqual([
    ...common,
    '--allow-client-shm=true',
    '--exit-timeout-secs=5',
  ]);
});
