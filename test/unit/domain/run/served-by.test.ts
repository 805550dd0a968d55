import { expect, it } from 'vitest';
import { keyFigures } from '../../../../main/domain/measured/key-figures';
import { servedBy, servedByText } from '../../../../main/domain/run/served-by';
import { reportSummary } from '../../../../main/reports/summary';
import { toSummary } from '../../../../main/store/summary';
import { completeState, specFixture } from '../../../support/run-state';
import { serverLoadFixture } from '../../../support/server-load';

it('names ONNX Runtime in the Python backend in tile, list, page 1 and doubts of a local run', () => {
  const state = completeState();
  const text =
    'ONNX Runtime 1.23.2 in Triton’s Python backend, Triton Inference Server 2.51.0, on this machine, CPU';
  expect(servedByText(state)).toBe(text);
  expect(toSummary(state, '/runs/a').servedBy).toEqual({ short: 'Python backend', text });
  expect(keyFigures(state, {})[0]?.note).toContain('Python backend');
  const summary = reportSummary(state, { titles: {}, title: 'ResNet-50' });
  expect(summary.machine).toContainEqual({
    name: 'Served by',
    value: 'ONNX Runtime 1.23.2 in Triton’s Python backend, on this machine, CPU',
  });
  expect(summary.doubts).toContain(
    'The model is served by ONNX Runtime 1.23.2 in Triton’s Python backend: the figures are not those of Triton’s onnxruntime backend.',
  );
});

it('names the backend of Triton’s own on GPUs, on another server, and as config.pbtxt was edited', () => {
  const of = (change: Parameters<typeof specFixture>[0]) => servedBy(specFixture(change));
  expect(
    of((spec) => {
      spec.engine = { kind: 'docker', gpus: ['all'], shmSizeMiB: 1024, host: 'gpu1' };
    }),
  ).toMatchObject({
    backend: 'Triton’s onnxruntime backend',
    place: 'in a container on gpu1',
    insteadOf: null,
  });
  expect(
    of((spec) => {
      spec.format = 'ts-trace';
      spec.engine = { kind: 'remote', url: 'http://triton:8000' };
    }),
  ).toMatchObject({ short: 'pytorch backend', place: 'at http://triton:8000' });
  expect(
    of((spec) => {
      spec.configure.configPatch = { backend: 'custom' };
    }).short,
  ).toBe('custom backend');
});

it('names a server that is not Triton as it calls itself', () => {
  const state = completeState();
  const source = { kind: 'server', load: serverLoadFixture() } as const;
  const environment = { ...state.environment, tritonVersion: null, server: 'mlserver 1.7.1' };
  const measured = { ...state, source, environment };
  expect(servedByText(measured)).toBe('mlserver 1.7.1 at localhost:8000');
  expect(toSummary(measured, '/runs/a')).toMatchObject({ server: 'mlserver 1.7.1' });
  const { machine } = reportSummary(measured, { titles: {}, title: 'bert' });
  expect(machine).toContainEqual({ name: 'Server', value: 'mlserver 1.7.1' });
  expect(machine.map(({ name }) => name)).not.toContain('Triton');
});
