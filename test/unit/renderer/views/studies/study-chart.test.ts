import { describe, expect, it } from 'vitest';
import type { StudyRow } from '../../../../../main/contract/study/study';
import { chartThemes } from '../../../../../renderer/charts/chart-theme';
import { studyChart } from '../../../../../renderer/views/studies/study-chart';

const row = (number: number, axes: StudyRow['axes']): StudyRow => ({
  ...{ number, axes, gpu: null, host: null, runId: null, state: 'Complete', status: 'done' },
  ...{ reason: null, accuracy: null, offline: null, online: null },
});
const length = (value: string): StudyRow['axes'][number] => ({
  field: 'performance.lengthDistribution',
  value,
});
const instances = (value: string): StudyRow['axes'][number] => ({ field: 'configure.instances', value });

const axisOf = (rows: readonly StudyRow[]) => {
  const { title, ticktext } = studyChart(rows, 'throughput', chartThemes.dark).layout.xaxis;
  return [title, ticktext];
};

describe('the runs of a chart', () => {
  it('that differ in one field are named by its values', () => {
    const rows = ['8', '16', '128'].map((value, at) => row(at + 1, [length(value)]));
    expect(axisOf(rows)).toMatchObject([{ text: 'Lengths of texts' }, ['8', '16', '128']]);
  });

  it('that differ in two fields, in none or in different ones have numbers', () => {
    const both = ['8', '16'].map((value, at) => row(at + 1, [length(value), instances('2')]));
    expect(axisOf(both)).toMatchObject([{ text: 'Run' }, ['1', '2']]);
    expect(axisOf([row(1, []), row(2, [])])).toMatchObject([{ text: 'Run' }, ['1', '2']]);
    expect(axisOf([row(1, [length('8')]), row(2, [instances('2')])])).toMatchObject([
      { text: 'Run' },
      ['1', '2'],
    ]);
  });

  it('have numbers where a value has no room, and no labels of their own where they are many', () => {
    const long = ['/models/churn/2026', '8'].map((value, at) => row(at + 1, [length(value)]));
    expect(axisOf(long)).toMatchObject([{ text: 'Run' }, ['1', '2']]);
    const many = Array.from({ length: 25 }, (_unused, at) => row(at + 1, [length(String(at))]));
    expect(axisOf(many)).toMatchObject([{ text: 'Run' }, undefined]);
  });
});
