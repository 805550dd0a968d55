import { z } from 'zod';
import { loadPointSchema, windowSchema } from '../contract/measured/results';
import type { LoadTool as LoadToolId } from '../contract/run/run-spec';
import { wireErrorSchema } from '../contract/wire-error';
import type { MeasureInput } from './load-tool';

/** What the process of `load-process.ts` is to do; paths and addresses as it sees them. */
export interface LoadProcessJob {
  readonly tool: LoadToolId;
  readonly measure: Omit<MeasureInput, 'signal' | 'onWindow' | 'onLog' | 'onCommand'>;
  readonly resultFile: string;
}

export const loadProcessLineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('window'), window: windowSchema, index: z.int().min(0) }),
  z.object({ type: z.literal('log'), lines: z.array(z.string()).readonly() }),
  z.object({ type: z.literal('command'), argv: z.array(z.string()).readonly() }),
]);
export type LoadProcessLine = z.infer<typeof loadProcessLineSchema>;

export const loadProcessResultSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), point: loadPointSchema }),
  z.object({ ok: z.literal(false), error: wireErrorSchema }),
]);
export type LoadProcessResult = z.infer<typeof loadProcessResultSchema>;
