import { describe, expect, it } from 'vitest';
import { candidatesFor, type Known } from '../../../../main/cli/help/completion';
import { programWith } from '../../../support/cli-program';

const known: Known = {
  runs: () =>
    Promise.resolve([
      { value: '20261125-a', what: 'nightly, done' },
      { value: 'nightly', what: '20261125-a, done' },
    ]),
  presets: () => Promise.resolve([{ value: 'resnet50', what: 'ResNet50' }]),
  deployments: () => Promise.resolve([{ value: 'vision', what: 'serving' }]),
  studies: () => Promise.resolve([{ value: 'night', what: '4 runs: 4 done' }]),
  hosts: () => Promise.resolve([{ value: 'gpu1', what: 'user@gpu1' }]),
  data: (preset, kind) => Promise.resolve([{ value: `${preset}-${kind}`, what: '' }]),
};

const offered = async (...words: string[]): Promise<readonly string[]> =>
  (await candidatesFor(programWith(), words, known)).map(({ value }) => value);

describe('completion', () => {
  it('offers verbs, those of a verb, and options', async () => {
    const verbs = programWith().commands.map((command) => command.name());
    expect(await offered('re')).toEqual(verbs.filter((verb) => verb.startsWith('re')));
    expect(await offered('deployments', 'st')).toEqual(['start', 'stop']);
    expect(await offered('perf', '--cross')).toEqual(['--cross-check']);
    expect(await offered('runs', '--q')).toEqual(['--quiet']);
    expect(await offered('complete')).toEqual([]);
  });

  it('offers runs by id and name, presets, steps and shells where they are meant', async () => {
    expect(await offered('show', '')).toEqual(['20261125-a', 'nightly', 'latest']);
    expect(await offered('compare', 'latest', 'n')).toEqual(['nightly']);
    expect(await offered('clean', 'nightly', '--yes', '2')).toEqual(['20261125-a']);
    expect(await offered('run', 'r')).toEqual(['resnet50']);
    expect(await offered('logs', 'nightly', '--tail', '3', 'on')).toEqual(['online']);
    expect(await offered('completion', 'z')).toEqual(['zsh']);
  });

  it('offers deployments, studies, hosts, settings with their values, and data of a preset', async () => {
    expect(await offered('deployments', 'stop', '')).toEqual(['vision']);
    expect(await offered('deploy', 'nightly', '--to', 'v')).toEqual(['vision']);
    expect(await offered('studies', 'show', '')).toEqual(['night']);
    expect(await offered('deploy', 'nightly', '--search', '')).toEqual(['night']);
    expect(await offered('hosts', 'check', '')).toEqual(['gpu1']);
    expect(await offered('hosts', 'add', '')).toEqual([]);
    expect(await offered('run', 'resnet50', '--host', '')).toEqual(['gpu1']);
    expect(await offered('settings', 'get', 'window.th')).toEqual(['window.theme']);
    expect(await offered('settings', 'set', 'window.theme', '')).toEqual(['system', 'light', 'dark']);
    expect(await offered('settings', 'set', 'notifications.alerts', '')).toEqual(['on', 'off']);
    expect(await offered('settings', 'set', 'deployment.release', '')).toEqual(['none']);
    expect(await offered('data', 'fetch', 'resnet50', '--dataset', '')).toEqual(['resnet50-dataset']);
  });

  it('offers commands after help, fields, components and images', async () => {
    expect(await offered('help', 'stu')).toEqual(['studies']);
    expect(await offered('help', 'studies', 'pa')).toEqual(['pause']);
    expect(await offered('help', 'studies', 'list', '')).toEqual([]);
    expect(await offered('fields', '')).toContain('performance');
    expect(await offered('fields', 'perf')).toEqual(['performance']);
    expect(await offered('fields', 'performance.conc')).toEqual(['performance.concurrency']);
    expect(await offered('setup', 'tr')).toEqual(['triton', 'transformers', 'trees']);
    expect(await offered('setup', 'python', 'per')).toEqual(['perf-analyzer']);
    expect(await offered('images', 'build', 'tri')).toEqual(['triton-cpu']);
  });

  it('offers the next value of a list', async () => {
    expect(await offered('runs', '--status', 'done,fa')).toEqual(['done,failed']);
    expect(await offered('runs', '--status', 'failed,fa')).toEqual([]);
    expect(await offered('report', 'nightly', '--sections', 'summary')).toEqual([]);
    expect(await offered('report', 'nightly', '--sections', 'results,rec')).toEqual(['results,record']);
  });

  it('offers the values of an option, and nothing where only a person knows', async () => {
    expect(await offered('run', 'resnet50', '--precision', '')).toEqual(['fp32', 'fp16']);
    expect(await offered('runs', '--status', 'in')).toEqual(['interrupted']);
    expect(await offered('runs', '--preset', '')).toEqual(['resnet50']);
    expect(await offered('runs', '--limit', '')).toEqual([]);
    expect(await offered('show', 'nightly', '')).toEqual([]);
  });
});
