import type { Check, CheckId } from '../contract/machine';
import { checkIds } from '../contract/machine';
import {
  checkContainerToolkit,
  checkDocker,
  checkDockerApi,
  checkDockerPermission,
} from './preflight-docker';
import { checkComputeCapability, checkDriver } from './preflight-driver';
import { checkGpus } from './preflight-gpu';
import { checkDisk, checkPorts, checkSharedMemory } from './preflight-host';
import { checkSecurityFloor, checkTensorFlowBackend, checkTensorRtPlan } from './preflight-image';
import type { PreflightInput } from './preflight-input';
import type { Outcome } from './preflight-outcome';
import { checkTools } from './preflight-tools';

const checks: Readonly<
  Record<CheckId, { readonly title: string; readonly run: (input: PreflightInput) => Outcome }>
> = {
  tools: { title: 'Workbench tools', run: checkTools },
  gpus: { title: 'GPUs', run: checkGpus },
  driver: { title: 'NVIDIA driver', run: checkDriver },
  'compute-capability': { title: 'Compute capability', run: checkComputeCapability },
  docker: { title: 'Docker Engine', run: checkDocker },
  'docker-permission': { title: 'Docker permission', run: checkDockerPermission },
  'docker-api': { title: 'Docker API version', run: checkDockerApi },
  'container-toolkit': { title: 'NVIDIA Container Toolkit', run: checkContainerToolkit },
  disk: { title: 'Disk space', run: checkDisk },
  'shared-memory': { title: 'Shared memory', run: checkSharedMemory },
  ports: { title: 'Ports', run: checkPorts },
  'security-floor': { title: 'Image security', run: checkSecurityFloor },
  'tensorflow-backend': { title: 'TensorFlow backend', run: checkTensorFlowBackend },
  'tensorrt-plan': { title: 'TensorRT plan', run: checkTensorRtPlan },
};

/** Every check once, in the order of `checkIds`. Looks at nothing but its input. */
export function preflight(input: PreflightInput): readonly Check[] {
  return checkIds.map((id) => {
    const { title, run } = checks[id];
    return { id, title, ...run(input) };
  });
}
