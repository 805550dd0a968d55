import { expect, it } from 'vitest';
import type { Output } from '../../../../main/cli/output';
import { createLaneOutputs } from '../../../../main/cli/studies/lane-output';

function screen(live: boolean) {
  const shown: string[] = [];
  const output: Output = {
    ...{ json: true, live },
    say: (line) => shown.push(line),
    rewrite: (line) => shown.push(`~${line}`),
    document: (value) => shown.push(`document ${JSON.stringify(value)}`),
    clearScreen: () => undefined,
  };
  return { shown, outputs: createLaneOutputs(output) };
}

it('names the lane in each line, leaves blank ones out, and has no document of its own', () => {
  const { shown, outputs } = screen(false);
  const [a, b] = [outputs.lane('[a 1]'), outputs.lane('[b 2]')];
  a.say('\n1 of 2: onnx');
  b.say('Failed\n  remedy: none');
  a.document([]);
  a.rewrite('  … window 1');
  expect(shown).toEqual(['[a 1] 1 of 2: onnx', '[b 2] Failed', '[b 2]   remedy: none']);
  expect(a.json).toBe(false);
});

it('has one line that moves, with a part of each lane that has something under way', () => {
  const { shown, outputs } = screen(true);
  const [a, b] = [outputs.lane('[a 1]'), outputs.lane('[b 2]')];
  a.rewrite('  … window 1');
  b.rewrite(`  … ${'x'.repeat(200)}`);
  expect(shown.at(-1)).toBe(`~[a 1] window 1  [b 2] ${'x'.repeat(47)}`);
  a.say('✓ Export model');
  expect(shown.slice(-3)).toEqual(['~', '[a 1] ✓ Export model', `~[b 2] ${'x'.repeat(102)}`]);
  b.rewrite('');
  expect(shown.at(-1)).toBe('~');
});
