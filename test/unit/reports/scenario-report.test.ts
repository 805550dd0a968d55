// @vitest-environment jsdom
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import { readPublished } from '../../../main/presets/presets';
import { renderChart } from '../../../main/reports/charts/render-chart';
import { scenarioCharts } from '../../../main/reports/charts/report-charts';
import { html } from '../../../main/reports/html.exporter';
import { toReport } from '../../../main/reports/to-report';
import {
  createdBodies,
  environmentFixture,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../support/run-state';

// jsdom has no canvas and says so at every call; the charts measure text without one, as they do in Node.
vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);

const published = await readPublished(join(process.cwd(), 'resources'), 'resnet50');
const context = { generatedAt: '2025-11-21T08:30:00.000Z', published };
const points = [
  measurementBody('offline', pointFixture({ batchSize: 8, inferencesPerSecond: 786.8, p99Us: 12_000 })),
  measurementBody('online', pointFixture({ concurrency: 4 })),
];

function runOf(change: (spec: RunSpec) => void, gpus: readonly string[] = []) {
  const spec = specFixture((value) => {
    value.targetGpu = 'A40';
    change(value);
  });
  const found = gpus.map((name) => ({ name, uuid: 'GPU-1', driver: '1', memoryBytes: 1 }));
  return stateOf([...createdBodies(spec, environmentFixture({ gpus: found })), ...points]);
}
const reportOf = (change: (spec: RunSpec) => void = () => undefined) => toReport(runOf(change), context);

describe('published figures in a report', () => {
  it('stand beside the measured ones of the same load, and say what they are', () => {
    const found = reportOf((spec) => (spec.model.profile = 'full')).published;
    expect(found?.label).toBe('published, A40, ONNX fp16');
    expect(found?.lead).toContain(
      'Published for NVIDIA A40, ONNX fp16 (TensorRT accelerator); not measured by this run',
    );
    const [offline, online] = found?.scenarios ?? [];
    expect(offline?.rows.map(({ batchSize }) => batchSize)).toEqual([
      '1',
      '2',
      '4',
      '8',
      '16',
      '32',
      '64',
      '128',
    ]);
    expect(offline?.rows[3]).toMatchObject({
      published: '1,574',
      publishedP99: '5.64',
      measured: '786.8',
      measuredP99: '12.00',
      ratio: '50.0 %',
    });
    expect(offline?.rows[0]).toMatchObject({
      published: '491.5',
      measured: '–',
      measuredP99: '–',
      ratio: '–',
    });
    const quick = reportOf().published;
    expect(quick?.lead).toContain('the small model of the profile quick, not the published one');
    expect(quick?.scenarios[0]?.rows[3]).toMatchObject({ measured: '786.8', ratio: '–' });
    // Nothing is measured at 16 requests and more.
    expect(online?.rows).toHaveLength(16);
    expect(online?.rows.every(({ measured }) => measured === '–')).toBe(true);
  });

  it('are named among the parameters, as the workspace of a plan is', () => {
    const rows = (change?: (spec: RunSpec) => void) =>
      reportOf(change).parameters.flatMap((group) => group.rows.map(({ field, value }) => [field, value]));
    expect(rows()).toContainEqual(['targetGpu', 'A40']);
    expect(rows((spec) => (spec.format = 'trt'))).toContainEqual([
      'tensorrt.maxWorkspaceBytes',
      '1,073,741,824 B (1.0 GiB)',
    ]);
    expect(rows().map(([field]) => field)).not.toContain('tensorrt.maxWorkspaceBytes');
  });

  it('are none where nothing was chosen, and none of another format or precision', () => {
    expect(reportOf((spec) => delete spec.targetGpu).published).toBeNull();
    expect(
      toReport(
        runOf(() => undefined),
        { generatedAt: context.generatedAt },
      ).published,
    ).toBeNull();
    const other = reportOf((spec) => (spec.precision = 'fp32'));
    expect(other.published).toMatchObject({ label: null, scenarios: [] });
    expect(other.published?.lead).toBe(
      'No figures are published for A40 with ONNX fp32; published for it: NVIDIA A40, ONNX fp16 (TensorRT accelerator).',
    );
    expect(other.scenarios.every(({ baseline }) => baseline === null)).toBe(true);
    expect(reportOf((spec) => (spec.targetGpu = 'A30')).published?.lead).toContain(
      'published for it: nothing.',
    );
  });

  it('are those of the GPU that measured the full model, where none was chosen', () => {
    const onGpu = runOf(
      (spec) => {
        delete spec.targetGpu;
        spec.model.profile = 'full';
        spec.engine = { kind: 'docker', gpus: ['all'], shmSizeMiB: 64 };
      },
      ['Tesla T4'],
    );
    const { published: found } = toReport(onGpu, context);
    expect(found?.label).toBe('published, T4, ONNX fp16');
    expect(found?.lead).not.toContain('quick');
  });

  it('stand in the page under a heading of their own with their source', () => {
    const state = runOf(() => undefined);
    const { content } = html.render({ state, report: toReport(state, context) });
    const section = new DOMParser().parseFromString(content, 'text/html').querySelector('section.published');
    expect(section?.querySelector('h2')?.textContent).toBe('Published figures');
    expect(section?.querySelectorAll('tbody tr')).toHaveLength(24);
    expect(section?.querySelector('thead')?.textContent).toContain('published, A40, ONNX fp16');
    expect(section?.textContent).toContain(
      'PyTorch/Classification/ConvNets/triton/resnet50/README.md, 2021-04',
    );
  });
});

describe('published figures in the charts', () => {
  const chartsOf = (change?: (spec: RunSpec) => void) => {
    const [offline] = reportOf(change).scenarios;
    if (offline === undefined) throw new Error('no scenario');
    return scenarioCharts(offline);
  };
  const seriesOf = (chart: ReturnType<typeof chartsOf>[number] | undefined) =>
    [chart?.option.series ?? []].flat().map((series) => series);

  it('are a dashed line with the name of their hardware, apart from the measured one', () => {
    const [throughput, latency, components] = chartsOf();
    const line = seriesOf(throughput).find(({ name }) => name === 'published, A40, ONNX fp16');
    expect(line).toMatchObject({ type: 'line', lineStyle: { type: 'dashed' } });
    expect(line?.data).toEqual([
      [1, 491.5],
      [2, 811.8],
      [4, 1094],
      [8, 1573.6],
      [16, 1651.2],
      [32, 2070.4],
      [64, 1766.4],
      [128, 1894.4],
    ]);
    expect(throughput?.option.legend).toMatchObject({ data: ['Throughput', 'published, A40, ONNX fp16'] });
    expect(seriesOf(latency).map(({ name }) => name)).toContain('p99 published, A40, ONNX fp16');
    expect(seriesOf(components).some(({ name }) => String(name).includes('published'))).toBe(false);
  });

  it('widen the axis to their loads, and are not there without a baseline', () => {
    expect(chartsOf()[0]?.option.xAxis).toMatchObject({ type: 'log', min: 1, max: 128 });
    const [plain] = chartsOf((spec) => delete spec.targetGpu);
    expect(plain?.option.xAxis).toMatchObject({ max: 16 });
    expect(plain?.option.legend).toBeUndefined();
    for (const chart of chartsOf()) expect(renderChart(chart)).toContain('<svg');
  });

  it('say the batch size of a request where the run has another', () => {
    const { scenarios } = reportOf((spec) => (spec.performance.onlineBatchSize = 2));
    expect(scenarios.map(({ baseline }) => baseline?.label)).toEqual([
      'published, A40, ONNX fp16',
      'published, A40, ONNX fp16, batch 1',
    ]);
    const rates = reportOf((spec) => (spec.performance.requestRates = [5]));
    expect(rates.scenarios[1]?.baseline).toBeNull();
  });
});
