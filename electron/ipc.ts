import { ipcMain, type WebContents } from 'electron';
import type { WindowEvent, WireAnswer } from '../main/contract/api';
import { channels } from '../main/contract/calls/call';
import { toWire, WorkbenchError } from '../main/contract/errors';
import { createEventBatch } from './event-batch';
import { isTrustedFrame } from './origin';

/** Never rejects. */
export type AnswerCall = (name: unknown, input: unknown) => Promise<WireAnswer>;

interface CallsOptions {
  readonly answers: Promise<AnswerCall>;
  readonly events: Pick<EventSender, 'flush'>;
  /** Path of a file or folder dropped on the window, reported by preload: the page cannot. */
  readonly onGiven: (path: string) => void;
  readonly onAnswer: (name: string, answer: WireAnswer) => void;
}

interface EventSender {
  readonly send: (event: WindowEvent) => void;
  readonly flush: () => void;
  readonly dispose: () => void;
}

/**
 * The one way in from the window: sender check, then `answer-call.ts`.
 * Events that were told before an answer reach the page before it: what is in both is then known to be.
 */
export function registerCalls({ answers, events, onGiven, onAnswer }: CallsOptions): void {
  ipcMain.on(channels.given, (event, path: unknown) => {
    if (isTrustedFrame(event.senderFrame) && typeof path === 'string' && path !== '') onGiven(path);
  });
  ipcMain.handle(channels.call, async (event, name: unknown, input: unknown): Promise<WireAnswer> => {
    if (!isTrustedFrame(event.senderFrame)) {
      return { ok: false, error: toWire(new WorkbenchError('input-invalid', 'This page may not call')) };
    }
    const answer = await answers.then(
      (answerCall) => answerCall(name, input),
      (error: unknown): WireAnswer => ({ ok: false, error: toWire(error) }),
    );
    events.flush();
    onAnswer(String(name), answer);
    return answer;
  });
}

export function createEventSender(contents: Pick<WebContents, 'isDestroyed' | 'send'>): EventSender {
  const batch = createEventBatch((events) => {
    if (!contents.isDestroyed()) contents.send(channels.event, JSON.stringify(events));
  });
  return { send: batch.add, flush: batch.flush, dispose: batch.dispose };
}
