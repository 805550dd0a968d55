import type { DeploymentInfo, DeploymentModelInfo, ServedTensor } from '../contract/deployment/deployment';
import { shellLine } from '../contract/flag-text';

export interface Snippet {
  readonly id: 'python' | 'curl' | 'perf_analyzer';
  readonly title: string;
  readonly text: string;
}

const numpyTypes: Readonly<Record<string, string>> = {
  BOOL: 'np.bool_',
  UINT8: 'np.uint8',
  UINT16: 'np.uint16',
  UINT32: 'np.uint32',
  UINT64: 'np.uint64',
  INT8: 'np.int8',
  INT16: 'np.int16',
  INT32: 'np.int32',
  INT64: 'np.int64',
  FP16: 'np.float16',
  FP32: 'np.float32',
  FP64: 'np.float64',
};

const countOf = ({ shape }: ServedTensor): number => shape.reduce((product, size) => product * size, 1);

function python({ httpUrl }: DeploymentInfo, { name, inputs }: DeploymentModelInfo): string {
  const address = httpUrl.replace(/^https?:\/\//, '');
  return [
    'import numpy as np',
    'import tritonclient.http as triton',
    '',
    `client = triton.InferenceServerClient("${address}")`,
    'inputs = []',
    ...inputs.flatMap(({ name: input, datatype, shape }) => [
      `tensor = triton.InferInput("${input}", [${shape.join(', ')}], "${datatype}")`,
      datatype === 'BYTES'
        ? `tensor.set_data_from_numpy(np.full([${shape.join(', ')}], b"", dtype=np.object_))`
        : `tensor.set_data_from_numpy(np.zeros([${shape.join(', ')}], dtype=${numpyTypes[datatype] ?? 'np.float32'}))`,
      'inputs.append(tensor)',
    ]),
    `result = client.infer("${name}", inputs)`,
    'for output in result.get_response()["outputs"]:',
    '    print(output["name"], result.as_numpy(output["name"]).shape)',
  ].join('\n');
}

/** Larger requests are sent by a program rather than written into a command line. */
const mostJsonValues = 4096;

function curl({ httpUrl }: DeploymentInfo, { name, inputs }: DeploymentModelInfo): Snippet {
  const url = `${httpUrl}/v2/models/${encodeURIComponent(name)}`;
  const fits = inputs.every((input) => countOf(input) <= mostJsonValues && input.datatype !== 'BYTES');
  if (!fits) {
    const title = 'curl (the tensors of the model; its requests are too large for a command line)';
    return { id: 'curl', title, text: shellLine(['curl', '--fail', url]) };
  }
  const body = {
    inputs: inputs.map((input) => ({
      name: input.name,
      datatype: input.datatype,
      shape: input.shape,
      data: Array.from({ length: countOf(input) }, () => (input.datatype === 'BOOL' ? false : 0)),
    })),
  };
  const text = shellLine(['curl', '--fail', `${url}/infer`, '--data', JSON.stringify(body)]);
  return { id: 'curl', title: 'curl', text };
}

function perfAnalyzer({ grpcUrl }: DeploymentInfo, { name, inputs }: DeploymentModelInfo): string {
  const shapes = inputs.flatMap(({ name: input, shape }) => [
    '--shape',
    `${input}:${shape.length > 1 ? shape.slice(1).join(',') : shape.join(',')}`,
  ]);
  return shellLine([
    ...['perf_analyzer', '-m', name, '-i', 'grpc', '-u', grpcUrl, '-b', '1'],
    ...['--concurrency-range', '1:4', ...shapes],
  ]);
}

/** Client code for a deployed model, with zeros of the right types and shapes. */
export function snippetsOf(deployment: DeploymentInfo, model: DeploymentModelInfo): readonly Snippet[] {
  return [
    { id: 'python', title: 'Python (tritonclient)', text: python(deployment, model) },
    curl(deployment, model),
    { id: 'perf_analyzer', title: 'perf_analyzer', text: perfAnalyzer(deployment, model) },
  ];
}
