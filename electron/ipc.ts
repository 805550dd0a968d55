import { ipcMain, type WebContents } from 'electron';
import type { CallAnswer, WindowEvent } from '../main/contract/api';
import { channels } from '../main/contract/calls/call';
import { toWire, WorkbenchError } from '../main/contract/errors';
import { createEventBatch } from './event-batch';
import { isTrustedFrame } from './origin';

/** Answers a call by its name; never rejects. */
export type AnswerCall = (name: unknown, input: unknown) => Promise<CallAnswer<unknown>>;

/**
 * The one way in from the window: sender check, then `answer-call.ts`.
 * @param answers what answers, as soon as it is loaded
 * @param onAnswer hears every answer, for the log
 * @param onGiven where a file or folder lies that the person dropped on the window; preload says it, the page cannot
 */
export function registerCalls(
  answers: Promise<AnswerCall>,
  onGiven: (path: string) => void,
  onAnswer: (name: string, answer: CallAnswer<unknown>) => void,
): void {
  ipcMain.on(channels.given, (event, path: unknown) => {
    if (isTrustedFrame(event.senderFrame) && typeof path === 'string' && path !== '') onGiven(path);
  });
  ipcMain.handle(
    channels.call,
    async (event, name: unknown, input: unknown): Promise<CallAnswer<unknown>> => {
      if (!isTrustedFrame(event.senderFrame)) {
        return { ok: false, error: toWire(new WorkbenchError('input-invalid', 'This page may not call')) };
      }
      const answer = await answers.then(
        (answerCall) => answerCall(name, input),
        (error: unknown): CallAnswer<never> => ({ ok: false, error: toWire(error) }),
      );
      onAnswer(String(name), answer);
      return answer;
    },
  );
}

/** The one way out to the window. */
export function createEventSender(contents: WebContents): {
  readonly send: (event: WindowEvent) => void;
  readonly dispose: () => void;
} {
  const batch = createEventBatch((events) => {
    if (!contents.isDestroyed()) contents.send(channels.event, JSON.stringify(events));
  });
  return { send: batch.add, dispose: batch.dispose };
}
