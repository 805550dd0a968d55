import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, dialog } from 'electron';
import { toWire } from '../main/contract/errors';

function startProblemText(error: unknown): string {
  const { message, where, remedy } = toWire(error);
  return [message, where, remedy].filter((line) => typeof line === 'string' && line !== '').join('\n\n');
}

/** Shows it in a box of its own: who starts the window from a menu sees no stderr. */
export async function showStartProblem(app: App, error: unknown): Promise<void> {
  // Without a home there is no profile, and that of Chromium's choice would be beside the person's own files.
  const profile = app.isReady() ? null : mkdtempSync(join(tmpdir(), 'triton-workbench-start-'));
  if (profile !== null) app.setPath('userData', profile);
  await app.whenReady();
  dialog.showErrorBox('Triton Workbench cannot start', startProblemText(error));
  if (profile !== null) rmSync(profile, { recursive: true, force: true });
}
