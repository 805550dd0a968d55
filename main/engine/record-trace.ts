import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../contract/errors';
import type { Tracing } from '../contract/measured/trace-setting';
import { linkedAbort } from '../platform/abort';
import { makeFolder } from '../platform/files';
import {
  putBackOf,
  putTraceSettingBack,
  readTraceSetting,
  requireTraceable,
  type TracedServer,
  traceNext,
} from '../triton/trace-setting';
import type { ServerTraces } from './server-traces';

const pollMs = 100;
/** Load runs before tracing begins: the first requests of a load arrive together. */
const settleMs = 500;
/** Triton writes the file once the last traced request has ended. */
const writtenLimitMs = 5000;
/** Until a file that is there is complete. */
const writingMs = 200;

interface RecordTrace {
  readonly server: TracedServer;
  readonly traces: ServerTraces;
  readonly model: string;
  readonly requests: number;
  /** New folder for the trace files. */
  readonly dir: string;
  /** How long it waits for them. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Journals what is about to be switched on; resolves when on disk. */
  readonly begun: (tracing: Tracing) => Promise<unknown>;
  /** Journals that the settings are as before. */
  readonly putBack: () => Promise<unknown>;
  /** Sends requests until the signal, whose results are dropped; absent: those of others are traced. */
  readonly load?: (signal: AbortSignal) => Promise<unknown>;
}

/** Earlier files are of a recording that was interrupted. */
async function takeAll(traces: ServerTraces, dir: string): Promise<number> {
  await rm(dir, { recursive: true, force: true });
  await makeFolder(dir);
  const names = await traces.list();
  for (const name of names) await traces.take(name, join(dir, name));
  return names.length;
}

/** Until all are traced, the limit, or an end of the load. Never rejects for its signal. @returns whether any was */
async function awaitTraced(input: RecordTrace, signal: AbortSignal): Promise<boolean> {
  const { server, model, requests, limitMs } = input;
  const deadline = performance.now() + limitMs;
  for (;;) {
    const left = Number((await readTraceSetting(server, model)).trace_count);
    if (left === 0 || signal.aborted || performance.now() > deadline) return left < requests;
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** @returns whether any request was traced */
async function traced(input: RecordTrace): Promise<boolean> {
  const { server, model, requests, load } = input;
  const { controller, dispose } = linkedAbort(input.signal);
  const { signal } = controller;
  const sent = load?.(signal).catch((error: unknown) => {
    if (signal.aborted) return;
    controller.abort();
    throw error;
  });
  // It is awaited at the end.
  sent?.catch(() => undefined);
  try {
    if (load !== undefined) await sleep(settleMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    await traceNext(server, model, requests);
    return await awaitTraced(input, signal);
  } finally {
    controller.abort();
    dispose();
    await sent;
  }
}

const cancelled = ({ reason }: AbortSignal): WorkbenchError =>
  reason instanceof WorkbenchError
    ? reason
    : new WorkbenchError('cancelled', 'Cancelled while requests were traced');

/** As before, also where nothing was switched on. Throws as the trace setting does. */
export const endTracing = (server: TracedServer, { model, putBack }: Tracing): Promise<unknown> =>
  putTraceSettingBack(server, model, putBack);

/**
 * Has Triton trace the next requests to a model, and takes the files. What is switched on is journaled before, and put
 * back also after an error or a cancel. Throws combination-unsupported where tracing is on already or has no file, and
 * errors of the load. @returns how many files there are: none where no request arrived
 */
export async function recordTrace(input: RecordTrace): Promise<number> {
  const { server, traces, model, dir, signal } = input;
  const [ofModel, ofServer] = [
    await readTraceSetting(server, model, signal),
    await readTraceSetting(server, null, signal),
  ];
  requireTraceable(server, model, ofModel);
  await takeAll(traces, dir);
  const tracing = { model, putBack: putBackOf(ofModel, ofServer) };
  await input.begun(tracing);
  let isAny = false;
  try {
    isAny = await traced(input);
  } finally {
    await endTracing(server, tracing);
    await input.putBack();
  }
  if (signal.aborted) throw cancelled(signal);
  if (!isAny) return 0;
  const deadline = performance.now() + writtenLimitMs;
  while ((await traces.list()).length === 0 && performance.now() < deadline) await sleep(pollMs);
  await sleep(writingMs);
  return takeAll(traces, dir);
}
