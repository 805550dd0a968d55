import { describe, expect, it } from 'vitest';
import { contextMenuTemplate, menuTemplate } from '../../../electron/menu';
import { createRunEndWatch } from '../../../electron/run-end-watch';
import { createdBodies, journalFixture } from '../../support/run-state';

describe('the menu', () => {
  it('sends the commands of the product, and no two of them have one key', () => {
    const sent: string[] = [];
    const template = menuTemplate(
      (command) => sent.push(command),
      () => sent.push('check for updates'),
    );
    const items = template.flatMap((menu) => (Array.isArray(menu.submenu) ? menu.submenu : []));
    // Electron hands over what was clicked; these items ask for nothing of it.
    for (const { click } of items) (click as (() => void) | undefined)?.();
    expect(sent).toContain('command-palette');
    expect(sent).toContain('check for updates');
    expect(new Set(sent).size).toBe(sent.length);
    const keys = items.flatMap(({ accelerator }) => (accelerator === undefined ? [] : [accelerator]));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('of a right click fits the place', () => {
    const editFlags = {
      canUndo: false,
      canRedo: false,
      canCut: true,
      canCopy: true,
      canPaste: true,
      canDelete: true,
      canSelectAll: true,
      canEditRichly: false,
    };
    const roles = (isEditable: boolean, selectionText: string) =>
      contextMenuTemplate({ isEditable, selectionText, editFlags }).flatMap(({ role }) => role ?? []);
    expect(roles(true, '')).toContain('paste');
    expect(roles(false, 'text')).toEqual(['copy']);
    expect(roles(false, ' ')).toEqual([]);
  });
});

describe('the end of a long run', () => {
  const notices = (seconds: number, focused: boolean, wanted: 'long' | 'all' | 'off' = 'long'): string[] => {
    const notices: string[] = [];
    const onEvent = createRunEndWatch({
      isFocused: () => focused,
      wanted: () => wanted,
      notify: ({ title, body }) => notices.push(`${title}: ${body}`),
    });
    const entries = journalFixture([...createdBodies(), { type: 'run-finished', outcome: 'gate-failed' }]);
    const startMs = Date.parse(entries[1]?.at ?? '');
    for (const entry of entries) {
      const at = entry.type === 'run-finished' ? new Date(startMs + seconds * 1000).toISOString() : entry.at;
      onEvent({ type: 'journal', runId: 'a', entry: { ...entry, at } });
    }
    return notices;
  };

  it('is told while nobody looks, and as the settings say', () => {
    expect(notices(61, false)).toEqual([
      'Run ended: the accuracy gate did not pass: resnet50, onnx fp16, quick',
    ]);
    expect(notices(61, true)).toEqual([]);
    expect(notices(59, false)).toEqual([]);
    expect(notices(59, false, 'all')).toHaveLength(1);
    expect(notices(61, false, 'off')).toEqual([]);
    expect(notices(61, true, 'all')).toEqual([]);
  });
});
