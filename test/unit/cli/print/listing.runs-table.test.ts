import { describe, expect, it } from 'vitest';
import { runsTable } from '../../../../main/cli/print/listing';
import { runSummary } from '../../renderer/window-fixtures';

const id = '20261130-220740-resnet50-onnx-fp32-dc297b';
const plain = runSummary({ runId: id, status: 'done', name: null, tags: [] });
const named = runSummary({ runId: id, status: 'failed', name: 'For hall 4', tags: ['a', 'b'] });

describe('the table of the runs', () => {
  it('leaves out what no run has', () => {
    const [header = ''] = runsTable([plain], null).split('\n');
    expect(header.split(/ {2,}/)).toEqual(['run', 'status', 'best inferences/s', 'p99 (ms)', 'accuracy']);
    expect(runsTable([plain, named], null).split('\n')[0]).toMatch(/accuracy +name +tags$/);
  });

  it('has a sentence per run below its id and name on a narrow terminal, and nothing is wider', () => {
    const lines = runsTable([plain, named], 60).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(lines[0]).toBe(id);
    expect(lines).toContain(`${id}  For hall 4`);
    const text = lines.map((line) => line.trim()).join(' ');
    expect(text).toContain('failed, ');
    expect(text).toMatch(/best [\d,.]+ inferences\/s(?: \(|, p99 [\d.]+ ms)/);
    expect(text).toContain('tags a, b');
    expect(lines.length).toBeLessThanOrEqual(6);
  });
});
