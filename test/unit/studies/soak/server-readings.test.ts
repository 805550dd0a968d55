import { describe, expect, it } from 'vitest';
import type { ProcessReading } from '../../../../main/platform/process-readings';
import { serverReadings } from '../../../../main/studies/soak/server-readings';

const process = (pid: number, argv: readonly string[], rss = 10): ProcessReading => ({
  ...{ pid, argv, rss, pss: rss / 2, virtual: 100, shm: 1, threads: 3, handles: 5 },
});

const stub = (file: string, instance: string): readonly string[] => [
  ...[
    '/opt/tritonserver/backends/python/triton_python_backend_stub',
    file,
    'triton_shm_1',
    '1048576',
    '1048576',
  ],
  ...['7', '/opt/tritonserver/backends/python', '72', instance, 'DEFAULT'],
];

const keys = (processes: readonly ProcessReading[]) =>
  serverReadings(processes, null).map(({ role, model, count, rss }) => [role, model, count, rss]);

describe('serverReadings', () => {
  it('tells Triton, the stubs of each model, and the rest apart', () => {
    expect(
      keys([
        process(1, ['/opt/tritonserver/bin/tritonserver', '--model-repository=/models'], 100),
        process(2, stub('/models/ocr/1/model.py', 'ocr_0_0')),
        process(3, stub('/models/ocr/1/model.py', 'ocr_0_1'), 20),
        process(4, stub('/models/rank_2/3/model.py', 'rank_2_0_0')),
        process(5, ['sleep', '1']),
      ]),
    ).toEqual([
      ['server', undefined, 1, 100],
      ['stub', 'ocr', 2, 30],
      ['stub', 'rank_2', 1, 10],
      ['other', undefined, 1, 10],
    ]);
  });

  it('leaves out what is there for a moment while a model is loaded or unloaded', () => {
    const command = `exec ${stub('/models/ocr/1/model.py', 'ocr_0_0').join(' ')}`;
    expect(
      keys([
        process(1, ['tritonserver'], 100),
        process(2, ['/bin/bash', '-c', command]),
        process(3, []),
        process(4, stub('/models/ocr/1/model.py', 'ocr_0_0')),
      ]),
    ).toEqual([
      ['server', undefined, 1, 100],
      ['stub', 'ocr', 1, 10],
    ]);
  });

  it('names the model of a backend of Python, and of files that came with the load, by the instance', () => {
    expect(
      keys([
        process(2, stub('/backends/onnxruntime/model.py', 'resnet50_0_0')),
        process(3, stub('/tmp/folderA1b2c3/1/model.py', 'bert_0')),
      ]).map(([, model]) => model),
    ).toEqual(['resnet50', 'bert']);
  });

  it('names the model by its folder where the stub has no instance yet', () => {
    const old = stub('/models/ocr/1/model.py', '').slice(0, 7);
    expect(keys([process(2, ['env', 'LD_LIBRARY_PATH=/x', ...old])])[0]?.[1]).toBe('ocr');
  });

  it('takes the first process for the server where none is called so', () => {
    expect(
      keys([process(1, ['python3', 'serve.py']), process(2, ['sleep', '1'])]).map(([role]) => role),
    ).toEqual(['server', 'other']);
  });

  it('has GPU memory by process id, and none where nothing is known', () => {
    const processes = [process(1, ['tritonserver']), process(2, stub('/models/ocr/1/model.py', 'ocr_0_0'))];
    expect(serverReadings(processes, new Map([[1, 5e9]])).map(({ gpu }) => gpu)).toEqual([5e9, 0]);
    expect(serverReadings(processes, new Map()).map(({ gpu }) => gpu)).toEqual([null, null]);
  });
});
