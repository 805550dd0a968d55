import { describe, expect, it } from 'vitest';
import {
  defaultSettings,
  definitionOf,
  rangeOf,
  readSettings,
  settingGroups,
  settingKeys,
  settingText,
  withDefaultEngine,
} from '../../../../main/contract/settings/settings';

describe('the settings', () => {
  it.each(settingKeys)('%s has a default of its own schema, and texts', (key) => {
    const { schema, fallback, title, help, group, choices } = definitionOf(key);
    expect(schema.parse(fallback)).toEqual(fallback);
    expect(title).not.toBe('');
    expect(help).toMatch(/\.$/);
    expect(settingGroups).toContain(group);
    for (const choice of Object.keys(choices ?? {})) expect(schema.parse(choice)).toBe(choice);
  });

  it('are read one by one: what is unknown or not valid takes nothing else with it', () => {
    const content = {
      'deployment.engine': 'docker',
      'runs.keepDays': 0,
      'network.proxy': 'ftp://proxy',
      'later.key': true,
    };
    const state = readSettings(content, '/home/settings.json');
    expect(state.values).toEqual({ ...defaultSettings, 'deployment.engine': 'docker' });
    expect(state.changed).toEqual(['deployment.engine']);
    expect(state.invalid.map(({ key }) => key)).toEqual(['runs.keepDays', 'network.proxy']);
    expect(state.unknown).toEqual(['later.key']);
    expect(state.invalid[0]?.reason).toBe('must be a whole number of days from 1 to 3,650');
    expect(rangeOf('window.theme')).toBe('one of system, light, dark');
  });

  it('name a registry as Docker does, with its path', () => {
    const valid = (text: string) => definitionOf('network.registry').schema.safeParse(text).success;
    const good = [
      'registry.example.com/nvidia',
      'localhost:5000',
      'mirror:5000/ngc/nvidia',
      '10.0.0.7:5000/a-b_c',
    ];
    expect(good.filter((text) => !valid(text))).toEqual([]);
    const bad = [
      ...[
        'https://registry.example.com/nvidia',
        'registry.example.com/nvidia/',
        'nvidia',
        'nvidia/triton',
        '',
      ],
      ...[
        'registry.example.com/Nvidia',
        'registry.example.com/nvidia:26.07',
        'registry.example.com/../x',
        'a.b c',
      ],
    ];
    expect(bad.filter(valid)).toEqual([]);
  });

  it('are written with their unit, and by what the default is called', () => {
    expect(settingText('deployment.p99BudgetMs', 20)).toBe('20 ms');
    expect(settingText('runs.keepDays', 1)).toBe('1 day');
    expect(settingText('runs.keepDays', 30)).toBe('30 days');
    expect(settingText('runs.keepDays', null)).toBe('keep all runs');
    expect(settingText('notifications.alerts', false)).toBe('off');
    expect(settingText('window.theme', 'dark')).toBe('Dark');
  });
});

describe('the engine of the settings', () => {
  const docker = { 'deployment.engine': 'docker' } as const;
  it('is that of a choice without one', () => {
    expect(withDefaultEngine({ format: 'onnx' }, docker)).toEqual({
      format: 'onnx',
      engine: { kind: 'docker' },
    });
    expect(withDefaultEngine({ engine: { gpus: ['all'] } }, docker)).toEqual({
      engine: { gpus: ['all'], kind: 'docker' },
    });
  });
  it('leaves a choice that names one, or an address', () => {
    const local = { engine: { kind: 'local' } };
    const remote = { engine: { url: 'http://other:8000' } };
    expect(withDefaultEngine(local, docker)).toBe(local);
    expect(withDefaultEngine(remote, docker)).toBe(remote);
    expect(withDefaultEngine({}, { 'deployment.engine': 'preset' })).toEqual({});
  });
});
