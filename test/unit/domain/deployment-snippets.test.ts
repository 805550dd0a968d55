import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { DeploymentInfo, ServedTensor } from '../../../main/contract/deployment/deployment';
import { snippetsOf } from '../../../main/domain/deployment-snippets';

function snippets(inputs: readonly ServedTensor[]): Readonly<Record<string, string>> {
  const model = {
    ...{ name: 'tft', version: 1, state: 'ready' as const, reason: null, runId: 'run-1' },
    ...{
      format: 'onnx' as const,
      precision: 'fp32' as const,
      checkedSamples: 8,
      accuracy: 'verified' as const,
      previous: null,
      inputs,
    },
  };
  const deployment: DeploymentInfo = {
    ...{ id: 'tft', name: 'tft', state: 'ready', reason: null, engine: 'local', image: null, gpus: [] },
    host: null,
    httpUrl: 'http://127.0.0.1:8000',
    grpcUrl: '127.0.0.1:8001',
    metricsUrl: 'http://127.0.0.1:8002/metrics',
    ...{ createdAt: '2026-11-25T10:00:00.000Z', work: null, interrupted: null, models: [model] },
  };
  return Object.fromEntries(snippetsOf(deployment, model).map(({ id, text }) => [id, text]));
}

describe('snippetsOf', () => {
  const inputs = [
    { name: 'VALUES', datatype: 'FP32', shape: [1, 3] },
    { name: 'FLAGS', datatype: 'INT64', shape: [1, 1] },
  ];

  it('gives a curl command whose body a shell hands on as it was meant', () => {
    const { curl = '' } = snippets(inputs);
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${curl}`], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(words.slice(0, 3)).toEqual(['curl', '--fail', 'http://127.0.0.1:8000/v2/models/tft/infer']);
    expect(JSON.parse(words[4] ?? '')).toEqual({
      inputs: [
        { name: 'VALUES', datatype: 'FP32', shape: [1, 3], data: [0, 0, 0] },
        { name: 'FLAGS', datatype: 'INT64', shape: [1, 1], data: [0] },
      ],
    });
  });

  it('names the tensors with their types in Python and for perf_analyzer', () => {
    const { python, perf_analyzer: analyzer } = snippets(inputs);
    expect(python).toContain('triton.InferInput("FLAGS", [1, 1], "INT64")');
    expect(python).toContain('np.zeros([1, 3], dtype=np.float32)');
    expect(analyzer).toContain('-u 127.0.0.1:8001');
    expect(analyzer).toContain('--shape VALUES:3 --shape FLAGS:1');
  });

  it('writes no request of millions of values into a command line', () => {
    const { curl = '' } = snippets([{ name: 'VOLUME', datatype: 'FP32', shape: [1, 4, 128, 128, 128] }]);
    expect(curl).toBe('curl --fail http://127.0.0.1:8000/v2/models/tft');
  });
});
