import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GoldenCheck, GoldenFile } from '../../main/contract/golden';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

/** A linear model; `changed`: one of its 64 weights is another one. */
const linear = (name: string, changed: boolean) => ({
  name,
  setUp: `self.weights = np.linspace(-1, 1, 64, dtype=np.float32).reshape(16, 4)
        ${changed ? 'self.weights[7, 2] += 0.01' : 'pass'}`,
  execute: 'return values @ self.weights',
  maxBatchSize: 8,
  outputElements: 4,
});

/** Boxes of what is in the picture, which the input says, and the same in another order. */
const detector = (name: string, order: string) => ({
  name,
  execute: '',
  maxBatchSize: 0,
  tensors: `input [ { name: "IMAGE" data_type: TYPE_STRING dims: [ 1 ] } ]
output [
  { name: "boxes" data_type: TYPE_FP32 dims: [ -1, 4 ] },
  { name: "labels" data_type: TYPE_STRING dims: [ -1 ] },
  { name: "scores" data_type: TYPE_FP32 dims: [ -1 ] }
]`,
  source: `import numpy as np
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            text = pb_utils.get_input_tensor_by_name(request, "IMAGE").as_numpy()[0]
            names = text.split()[::${order}]
            boxes = np.array([[len(n), len(n), 10 * len(n), 10 * len(n)] for n in names], dtype=np.float32)
            scores = np.array([1 / len(n) for n in names], dtype=np.float32)
            responses.append(pb_utils.InferenceResponse([
                pb_utils.Tensor("boxes", boxes),
                pb_utils.Tensor("labels", np.array(names, dtype=object)),
                pb_utils.Tensor("scores", scores),
            ]))
        return responses
`,
});

let home: TestHome;
let triton: TestTriton;
let dir: string;
beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-golden-'));
  triton = await startTestTriton([
    linear('linear', false),
    linear('other', true),
    detector('detector', '1'),
    detector('reversed', '-1'),
  ]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

const url = () => `http://${triton.httpAddress}`;
const golden = (...args: string[]) => cli(home.path, 'golden', ...args);

describe('golden', () => {
  it('catches a model in which one weight is another one', async () => {
    const files = [join(dir, 'linear.json'), join(dir, 'linear.npz')];
    for (const file of files) {
      const recorded = await golden(
        ...['record', '--from', url(), '-m', 'linear', '--samples', '3', '--output', file],
      );
      expect(recorded.stdout).toContain(`Recorded 3 samples of linear in ${file}`);
      expect(recorded.code).toBe(0);
    }
    const other = await golden('check', files[0] ?? '', '--url', url(), '-m', 'other');
    expect(other.code).toBe(3);
    expect(other.stdout).toMatch(
      /OUTPUT, sample \d: 1 of 4 values are outside the tolerance; worst at \[0, 2\]/,
    );
    const wide = await golden('check', files[0] ?? '', '--url', url(), '-m', 'other', '--atol', '1e6');
    expect(wide.stdout).toContain('within 1e6 + 1e-4 × value');
    expect(wide.code).toBe(0);
    const same = await golden('check', files[1] ?? '', '--url', url(), '--json');
    const checked = JSON.parse(same.stdout) as GoldenCheck;
    expect(checked).toMatchObject({
      ...{ model: 'linear', samples: 3, passed: true, outputs: [{ maxAbsDiff: 0 }] },
    });
    expect(same.code).toBe(0);
    const again = await golden('record', '--from', url(), '-m', 'linear', '--output', files[0] ?? '');
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('already exists');
  });

  it('takes detections in another order for the same, of text that is the input too', async () => {
    const [inputs, file] = [join(dir, 'images.json'), join(dir, 'detector.json')];
    const data = ['cat horse', 'ant bear tiger'].map((text) => ({ IMAGE: [text] }));
    await writeFile(inputs, JSON.stringify({ data }));
    const rule = 'boxes=detections:labels=labels:scores=scores:iou=0.9';
    const recorded = await golden(
      ...[
        'record',
        '--from',
        url(),
        '-m',
        'detector',
        '--input-data',
        inputs,
        '--compare',
        rule,
        '--output',
        file,
      ],
    );
    expect(recorded.code).toBe(0);
    const written = JSON.parse(await readFile(file, 'utf8')) as GoldenFile;
    expect(written.samples[1]?.outputs[1]).toMatchObject({
      datatype: 'BYTES',
      data: ['ant', 'bear', 'tiger'],
    });
    expect((await golden('check', file, '--url', url(), '-m', 'reversed')).code).toBe(0);
    const exact = await golden('check', file, '-u', url(), '-m', 'reversed', '--compare', 'boxes=numbers');
    expect(exact.code).toBe(3);
    expect(exact.stdout).toContain('labels, sample 0: 2 of 2 texts differ; at [0], character 0');
  });

  it('says what is wrong before it asks', async () => {
    const absent = await golden('check', join(dir, 'absent.json'), '--url', url());
    expect(absent.code).toBe(2);
    expect(absent.stderr).toContain('does not exist');
    const model = await golden('record', '--from', url(), '-m', 'linaer', '--output', join(dir, 'x.json'));
    expect(model.code).toBe(2);
    expect(model.stderr).toContain('Did you mean linear?');
  });
});
