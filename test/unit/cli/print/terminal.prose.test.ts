import { afterEach, beforeEach, expect, it } from 'vitest';
import { hanging } from '../../../../main/cli/print/terminal';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';

const { isTTY, columns } = process.stdout;
beforeEach(() => {
  Object.assign(process.stdout, { isTTY: true, columns: 60 });
});
afterEach(() => {
  Object.assign(process.stdout, { isTTY, columns });
});

const prose = 'A sentence of many words that no terminal of sixty columns has on one line, whatever it says.';

const preset = {
  ...{ id: 'net', title: 'Net', summary: prose, formats: ['onnx'], precisions: ['fp32'] },
  profiles: { quick: { summary: prose } },
  origin: { dataset: prose, checkpoint: prose, paper: prose },
  notes: [{ finding: 'A1', published: prose, here: prose }],
};
const machine = {
  environment: { os: 'Linux', cpu: prose, cpuCount: 2, memoryBytes: 1 },
  gpus: { gpus: [], problem: prose, driverVersion: null, cudaVersion: null },
  host: { memoryFreeBytes: 1, disks: [] },
  release: null,
  engines: [{ kind: 'local', version: null, available: true, note: prose, remedy: prose }],
  checks: [{ status: 'problem', title: 'Docker', finding: prose, remedy: prose }],
};
const checked = {
  ...{ name: 'm', backend: 'own', verdict: 'does not load', tensors: [], diff: null, servedBy: null },
  ...{ image: null, needs: [{ where: 'm', message: prose, gpus: true }], notChecked: [prose] },
  problems: [{ where: 'm/config.pbtxt', message: prose, remedy: prose, triton: prose }],
};
const core = {
  handlers: {
    'presets.list': () => Promise.resolve([preset]),
    'presets.published': () => Promise.resolve(null),
    'machine.check': () => Promise.resolve(machine),
    'models.check': () => Promise.resolve({ repositories: [{ path: '/r', models: [checked] }], text: prose }),
  },
} as unknown as Core;

it.each([['presets'], ['presets', 'show', 'net'], ['detect'], ['fields', 'performance'], ['check', '/r']])(
  '%s %s %s is within the terminal',
  async (...words) => {
    const given = words.filter((word) => typeof word === 'string');
    const { text } = await said(core, ...given);
    const lines = text.split('\n');
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    Object.assign(process.stdout, { isTTY: false });
    const { text: piped } = await said(core, ...given);
    // The same words, and a line of prose in one piece for whoever filters them.
    expect(piped.split(/\s+/)).toEqual(text.split(/\s+/));
    expect(piped.split('\n').some((line) => line.length > 60)).toBe(true);
  },
);

it('hangs what follows under the line', () => {
  expect(hanging('  one two three', 2, 9)).toBe('  one\n    two\n    three');
  expect(hanging('  one two three', 0, 9)).toBe('  one two\n  three');
  expect(hanging('  one two three', 0, null)).toBe('  one two three');
  expect(hanging('', 2, 9)).toBe('');
});
