import type { Check, CheckId } from '../../../main/contract/machine';
import { type Change, gpuWith, localDocker } from './preflight-input';

export interface Case {
  readonly id: CheckId;
  readonly what: string;
  readonly change: Change;
  readonly status: Check['status'];
  readonly finding: readonly string[];
  readonly remedy?: readonly string[];
}

export const t4 = gpuWith({
  name: 'Tesla T4',
  architecture: 'Turing',
  computeCapability: '7.5',
  uuid: 'GPU-t4',
});
export const v100 = gpuWith({
  name: 'Tesla V100-SXM2-16GB',
  architecture: 'Volta',
  computeCapability: '7.0',
});
export const rtx = gpuWith({ name: 'NVIDIA GeForce RTX 3090', computeCapability: '8.6' });
export const workstation = gpuWith({ name: 'NVIDIA RTX A4000', computeCapability: '8.6' });
export const h100 = gpuWith({ name: 'NVIDIA H100 PCIe', architecture: 'Hopper', computeCapability: '9.0' });
export const ada = gpuWith({ name: 'NVIDIA L4', architecture: 'Ada', computeCapability: '8.9' });
export const noGpu = { gpus: [], driverVersion: null, cudaVersion: null };
export const ssh = { ...localDocker, host: 'ssh://me@gpu-host:2222', rootFreeBytes: null };
export const loopback = { ...localDocker, host: 'tcp://127.0.0.1:2376' };
export const at = (release: string | null) => ({
  release,
  tritonImage: release === null ? 'registry.local/triton:mine' : `nvcr.io/nvidia/tritonserver:${release}-py3`,
});
export const plain = { ...localDocker, runtimes: ['runc'] };
export const cpu = { images: 'cpu', release: null, tritonImage: 'triton-cpu', gpuIds: [] } as const;
