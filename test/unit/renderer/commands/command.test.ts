// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { type Command, findCommands, isWriting, keyText } from '../../../../renderer/commands/command';
import { runCommands } from '../../../../renderer/commands/run-commands';
import { createWorkbench } from '../../../../renderer/workbench';
import { createClientDouble, createStorage } from '../client-double';
import { runSummary } from '../window-fixtures';

const command = (title: string, group: Command['group'], note?: string): Command => ({
  id: title,
  title,
  group,
  ...(note === undefined ? {} : { note }),
  run: () => undefined,
});

describe('the command palette', () => {
  const commands = [
    command('Compare', 'Pages'),
    command('Environment', 'Pages'),
    command('Pause this run', 'Actions'),
    command('ResNet-50 · onnx fp16', 'Runs', 'Done · nightly'),
  ];

  it('finds by every word, in note and group too', () => {
    expect(findCommands(commands, 'nightly res').map(({ title }) => title)).toEqual([
      'ResNet-50 · onnx fp16',
    ]);
    expect(findCommands(commands, 'pages comp').map(({ title }) => title)).toEqual(['Compare']);
    expect(findCommands(commands, 'nothing')).toEqual([]);
  });

  it('puts titles that begin with the word first, group by group', () => {
    const list = [
      command('The end', 'Pages'),
      command('Environment', 'Pages'),
      command('End run', 'Actions'),
    ];
    expect(findCommands(list, 'en').map(({ title }) => title)).toEqual(['End run', 'Environment', 'The end']);
  });

  it('puts the command of that very title before all others, whatever its group', () => {
    const list = [
      command('Setting: Keep runs for', 'Actions'),
      command('Runs', 'Pages'),
      command('Runs and rests', 'Runs'),
    ];
    expect(findCommands(list, 'runs ').map(({ title }) => title)).toEqual([
      'Runs',
      'Setting: Keep runs for',
      'Runs and rests',
    ]);
  });

  it('shows some of very many runs', () => {
    const many = Array.from({ length: 10_000 }, (_unused, index) => command(`Run ${index}`, 'Runs'));
    expect(findCommands(many, '').length).toBeLessThan(100);
    expect(findCommands(many, 'run 9999')).toHaveLength(1);
  });
});

describe('a key press', () => {
  const press = (change: Partial<Parameters<typeof keyText>[0]>) =>
    keyText({ key: 'k', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...change });

  it('reads as shortcuts are written', () => {
    expect(press({ ctrlKey: true })).toBe('Ctrl+K');
    expect(press({ metaKey: true, key: 'K' })).toBe('Ctrl+K');
    expect(press({ ctrlKey: true, shiftKey: true, key: 'L' })).toBe('Ctrl+Shift+L');
    expect(press({ shiftKey: true, key: '?' })).toBe('?');
  });
});

describe('a press is of a text that is written', () => {
  it.each(['radio', 'checkbox'])('not in a %s, where ? shows the shortcuts', (type) => {
    const input = document.createElement('input');
    input.type = type;
    expect(isWriting(input)).toBe(false);
  });

  it.each(['text', 'number', 'search'])('in a field of type %s', (type) => {
    const input = document.createElement('input');
    input.type = type;
    expect(isWriting(input)).toBe(true);
  });
});

describe('commands of the open run', () => {
  it('are those of its page: delete, resume, run again, and what it has written', async () => {
    const { client, calls } = createClientDouble({ 'desktop.saveReport': () => null });
    const workbench = createWorkbench(client, createStorage());
    const row = runSummary({ status: 'failed' });
    const pdf = { kind: 'pdf', path: 'report.pdf' } as const;
    const commands = runCommands(workbench, row, [pdf]);
    expect(commands.map(({ title }) => title)).toEqual([
      'Change and continue…',
      'Resume this run',
      'Run again with changes',
      'Rename this run',
      'Set the p99 budget of this run',
      'Export PDF report of this run',
      'Show run folder',
      'Delete this run',
    ]);
    commands.find(({ id }) => id === 'export-pdf')?.run();
    await expect.poll(() => calls.at(-1)).toEqual(['desktop.saveReport', { runId: row.runId, kind: 'pdf' }]);
  });

  it('cannot delete a run in progress', () => {
    const workbench = createWorkbench(createClientDouble({}).client, createStorage());
    const ids = runCommands(workbench, runSummary({ status: 'running' }), []).map(({ id }) => id);
    expect(ids).toEqual(['pause', 'cancel', 'duplicate', 'rename', 'budget', 'show-folder']);
  });

  it('have no budget before a level was measured', () => {
    const workbench = createWorkbench(createClientDouble({}).client, createStorage());
    const ids = runCommands(workbench, runSummary({ best: null }), []).map(({ id }) => id);
    expect(ids).not.toContain('budget');
  });
});
