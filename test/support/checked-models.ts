import type { CheckedModel, RepositoryCheck } from '../../main/contract/repository-check';

export const checkedModel = (of: Partial<CheckedModel> = {}): CheckedModel => ({
  ...{ name: 'net', backend: 'onnxruntime', verdict: 'loads', problems: [], notChecked: [], versions: [1] },
  ...{ servedBy: 'ONNX Runtime in Triton’s Python backend', image: 'nvcr.io/nvidia/tritonserver:26.07-py3' },
  ...{ steps: [], named: [], tensors: [], diff: null },
  ...of,
});

export const repositoryCheck = (...models: readonly CheckedModel[]): RepositoryCheck => ({
  ...{ kind: 'triton-workbench-repository-check', version: 1, text: `${models.length} models` },
  repositories: [{ path: '/r', models }],
});
