import { expect, it } from 'vitest';
import { releaseFindings } from '../../../../main/core/upgrade/upgrade-findings';
import { readReleases } from '../../../../main/machine/releases';
import { specFixture } from '../../../support/run-state';

const specs = (format: 'onnx' | 'trt', backendAccelerator: 'none' | 'trt' = 'none') => {
  const spec = specFixture((own) => {
    Object.assign(own, { format });
    own.configure.backendAccelerator = backendAccelerator;
  });
  return { from: spec, to: spec };
};

const found = async (of: ReturnType<typeof specs>, from: string | null, to: string | null) =>
  releaseFindings(of, { from, to }, await readReleases('resources'));

it('has a TensorRT plan built again where the table has another TensorRT', async () => {
  const [first] = await found(specs('trt'), '24.10', '26.07');
  expect(first).toMatchObject({ about: 'plan', blocks: true });
  expect(first?.text).toMatch(
    /^the TensorRT plan has to be built again: it is of TensorRT [\d.]+, and release 26\.07 has [\d.]+/,
  );
  expect((await found(specs('trt'), '24.10', null))[0]).toMatchObject({ about: 'plan', blocks: false });
  expect((await found(specs('onnx', 'trt'), '24.10', '26.07'))[0]?.text).toContain(
    'builds its engines again',
  );
});

it('names flags and parts that change, without holding them against the move', async () => {
  const findings = await found(specs('onnx'), '24.10', '26.07');
  expect(findings.every(({ blocks }) => !blocks)).toBe(true);
  const text = findings.map((one) => one.text).join('; ');
  expect(text).toContain('From release 26.04 on, Triton refuses shared memory of clients');
  expect(text).toMatch(/CUDA 12\.\S+ becomes 13\./);
  expect((await found(specs('onnx'), '24.10', '22.06')).map((one) => one.text).join('; ')).toContain(
    'has no --disable-auto-complete-config',
  );
});

it('says where nothing is known of an image, and of a release with published flaws', async () => {
  expect((await found(specs('onnx'), '26.07', null)).map((one) => one.text)).toContain(
    'The name of the image does not contain its release',
  );
  expect((await found(specs('onnx'), '26.07', '24.10')).map((one) => one.text).join('; ')).toContain(
    'Release 24.10 has published vulnerabilities',
  );
});

it('warns of a bounded queue where the move crosses the release from which a full one can stall', async () => {
  const { from } = specs('onnx');
  const bounded = {
    ...from,
    configure: { ...from.configure, batching: 'dynamic' as const, maxQueueSize: 16 },
  };
  const said = async (spec: typeof from, one: string, other: string) =>
    (await found({ from: spec, to: spec }, one, other)).map(({ text }) => text).join('; ');
  expect(await said(bounded, '23.12', '26.07')).toContain('a full queue (max_queue_size 16) can stall');
  expect(await said(bounded, '24.10', '26.07')).not.toContain('can stall');
  expect(await said(bounded, '26.07', '23.12')).not.toContain('can stall');
  expect(await said(from, '23.12', '26.07')).not.toContain('can stall');
});
