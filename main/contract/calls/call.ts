import type { z } from 'zod';

/** Between window and core, on Electron's wire. On their own: what loads before every page needs nothing else of the contract. */
export const channels = {
  call: 'workbench:call',
  event: 'workbench:event',
  /** From preload only: the path of what was dropped. */
  given: 'workbench:given',
} as const;

export interface Call<Input extends z.ZodType, Output> {
  readonly input: Input;
  /** Carries the output type only; outputs come from the trusted side and are not parsed again. */
  readonly output?: Output;
}

export const call = <Output>() => ({
  with: <Input extends z.ZodType>(input: Input): Call<Input, Output> => ({ input }),
});
