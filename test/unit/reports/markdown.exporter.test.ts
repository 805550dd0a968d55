import { describe, expect, it } from 'vitest';
import { formatRate } from '../../../main/contract/numbers';
import type { RunState } from '../../../main/contract/run/run-state';
import { markdown } from '../../../main/reports/markdown.exporter';
import { toReport } from '../../../main/reports/to-report';
import { completeState } from '../../support/run-state';

const context = { generatedAt: '2026-11-25T10:00:00.000Z' };
const textOf = (state: RunState): string => {
  const { fileName, content } = markdown.render({ state, report: toReport(state, context) });
  expect(fileName).toBe('report.md');
  return content;
};

/** Cells that Markdown shows: an escaped bar is none of their ends. */
const cellsOf = (line: string): readonly string[] => line.split(/(?<!\\)\|/).slice(1, -1);

describe('the Markdown report', () => {
  const state = completeState();
  const text = textOf(state);

  it('leads with the verdict of every other report', () => {
    const { verdict, title } = toReport(state, context);
    const plain = text.replaceAll(/\\(.)/g, '$1');
    expect(plain.split('\n')[0]).toBe(`# ${title}`);
    expect(plain).toContain(`**${verdict}**`);
  });

  it('has every measured level, each value as the other reports have it', () => {
    const measured = [...state.scenarios.offline.points, ...state.scenarios.online.points];
    expect(measured.length).toBeGreaterThan(4);
    for (const { point } of measured) expect(text).toContain(formatRate(point.inferencesPerSecond));
  });

  it('is made of tables whose rows have as many cells as their heads', () => {
    const tables = text
      .trim()
      .split('\n\n')
      .filter((part) => part.startsWith('|'));
    expect(tables.length).toBeGreaterThan(4);
    for (const table of tables) {
      const widths = new Set(table.split('\n').map((line) => cellsOf(line).length));
      expect([...widths], table).toHaveLength(1);
    }
  });

  it('shows what comes from outside as text', () => {
    const hostile = '<script>alert(1)</script> | [a](javascript:x) `b` **c**\n# d';
    const shown = textOf({ ...state, environment: { ...state.environment, cpu: hostile } });
    const line = shown.split('\n').find((one) => one.includes('alert')) ?? '';
    expect(line).toContain(String.raw`\<script\>alert(1)\</script\> \| \[a\](javascript:x) \`b\``);
    expect(shown).not.toContain('\n# d');
  });
});
