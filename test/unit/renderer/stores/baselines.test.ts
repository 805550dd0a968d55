import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baselineSeries, otherwiseText } from '../../../../main/contract/measured/baseline';
import { readPublished } from '../../../../main/presets/presets';
import type { SweepInput } from '../../../../renderer/charts/chart';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { compareChart } from '../../../../renderer/charts/compare-chart';
import { latencyChart, throughputChart } from '../../../../renderer/charts/latency-chart';
import { createBaselines, differencesKey, shownBaseline } from '../../../../renderer/stores/baselines';
import { completeState, createdBodies, specFixture, stateOf } from '../../../support/run-state';
import { createClientDouble, createStorage } from '../client-double';

const published = await readPublished(join(process.cwd(), 'resources'), 'resnet50');
const state = completeState();
const known = { published: { resnet50: published }, picks: {} };
const pickedA40 = { ...known, picks: { [state.runId]: 'A40/onnx/fp16' } };

describe('the published figures beside a run', () => {
  it('are none until they are picked, for a run that names no GPU', () => {
    const { all, shown } = shownBaseline(known, state);
    expect(all.map(({ key }) => key)).toEqual([
      'A40/onnx/fp16',
      'A100/onnx/fp16',
      'V100/onnx/fp16',
      'T4/onnx/fp16',
    ]);
    expect(shown).toBeNull();
    expect(shownBaseline(pickedA40, state).shown?.gpu).toBe('A40');
  });

  it('are those of the GPU that the run is for, and can be switched off', () => {
    const forT4 = stateOf(createdBodies(specFixture((spec) => (spec.targetGpu = 'T4'))));
    expect(shownBaseline(known, forT4).shown?.key).toBe('T4/onnx/fp16');
    expect(shownBaseline({ ...known, picks: { [forT4.runId]: '' } }, forT4).shown).toBeNull();
    expect(shownBaseline({ published: {}, picks: {} }, forT4)).toEqual({ all: [], shown: null });
  });

  it('have what the run did otherwise, asked once per specification and GPU', async () => {
    const text = 'Protocol: gRPC; published: HTTP';
    const { client, calls } = createClientDouble({ 'presets.differences': () => [text] });
    const store = createBaselines(client, createStorage());
    const { loadDifferences } = store.getState();
    await Promise.all([loadDifferences(state, 'A40'), loadDifferences(state, 'A40')]);
    await loadDifferences(state, 'T4');
    expect(calls.map(([, input]) => (input as { gpu: string }).gpu)).toEqual(['A40', 'T4']);
    const { differences } = store.getState();
    expect(differences[differencesKey(state, 'A40')]).toEqual([text]);
    expect(otherwiseText([text])).toBe(
      'Measured under other conditions than published. Protocol: gRPC; published: HTTP.',
    );
    expect(otherwiseText([])).toBeNull();
  });

  it('are fetched once, again after a failure, and the pick survives the window', async () => {
    let fails = true;
    const { client, calls } = createClientDouble({
      'presets.published': () => {
        if (fails) throw new Error('gone');
        return published;
      },
    });
    const storage = createStorage();
    const store = createBaselines(client, storage);
    await store.getState().load('resnet50');
    expect(store.getState().published).toEqual({});
    fails = false;
    await store.getState().load('resnet50');
    await store.getState().load('resnet50');
    expect(calls).toHaveLength(2);
    expect(store.getState().published['resnet50']).toEqual(published);
    store.getState().pick('run', 'T4/onnx/fp16');
    expect(createBaselines(client, storage).getState().picks).toEqual({ run: 'T4/onnx/fp16' });
    const broken = createStorage({ 'workbench.baselines': '{"a":1}' });
    expect(createBaselines(client, broken).getState().picks).toEqual({});
  });
});

describe('the charts with published figures', () => {
  const { shown } = shownBaseline(pickedA40, state);
  const input = (scenario: 'offline' | 'online'): SweepInput => ({
    scenario,
    state: state.scenarios[scenario],
    planned: [],
    level: null,
    budgetMs: null,
    baseline: baselineSeries(shown, scenario, state.source.spec.performance),
    theme: chartThemes.light,
  });
  const name = 'published, A40, ONNX fp16';

  it('have a dashed line with the name of its hardware, before what is live or missing', () => {
    const { data, layout } = throughputChart({ ...input('online') });
    const names = data.map((trace) => trace.name);
    expect(names).toEqual(['Throughput', name, 'No result']);
    const line = data[1];
    expect(line?.line?.dash).toBe('dash');
    expect([line?.x[0], line?.y[0], line?.x.length]).toEqual([16, 2543.7, 16]);
    expect(line?.hovertext?.[0]).toBe(
      `${name}: not measured here<br>batch size 1, concurrency 16<br>2,544 inferences/s · p99 9.19 ms`,
    );
    expect(layout.xaxis.tickvals?.at(-1)).toBe(256);
  });

  it('have its p99 among the latencies, by name', () => {
    const trace = latencyChart(input('offline')).data.find((found) => found.name === `p99 ${name}`);
    expect([trace?.x[7], trace?.y[7]]).toEqual([128, 69.789]);
  });

  it('leave it out where there is none', () => {
    const chart = throughputChart({ ...input('online'), baseline: null });
    expect(chart.data.map((trace) => trace.name)).toEqual(['Throughput', 'No result']);
  });

  it('have it once beside the compared runs', () => {
    const runs = ['Run 1', 'Run 2'].map((run) => ({ name: run, state }));
    const baseline = baselineSeries(shown, 'online', state.source.spec.performance);
    const { data } = compareChart(runs, 'concurrency', 'p99', chartThemes.dark, baseline);
    expect(data.map((trace) => trace.name)).toEqual(['Run 1', 'Run 2', name]);
    expect(data[2]?.y[0]).toBe(9.188);
  });
});
