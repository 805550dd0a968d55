import { existsSync } from 'node:fs';
import type { App } from 'electron';
import { expect, it, vi } from 'vitest';
import { showStartProblem } from '../../../electron/start-problem';
import { WorkbenchError } from '../../../main/contract/errors';

const shown = vi.hoisted((): { title: string; text: string }[] => []);
vi.mock('electron', () => ({
  dialog: { showErrorBox: (title: string, text: string) => shown.push({ title, text }) },
}));

it('is shown with its place and its remedy, once boxes can be shown, and leaves no profile', async () => {
  const profiles: string[] = [];
  const app = {
    isReady: () => false,
    setPath: (_name: string, path: string) => profiles.push(path),
    whenReady: () => {
      expect(shown).toEqual([]);
      return Promise.resolve();
    },
  } as unknown as App;
  const where = '/home/ada/.config/triton-workbench/home.json';
  await showStartProblem(
    app,
    new WorkbenchError('input-invalid', 'The home does not exist', { where, remedy: 'Mount its disk.' }),
  );
  expect(shown).toEqual([
    {
      title: 'Triton Workbench cannot start',
      text: `The home does not exist\n\n${where}\n\nMount its disk.`,
    },
  ]);
  expect(profiles).toHaveLength(1);
  expect(profiles.some((path) => existsSync(path))).toBe(false);
});
