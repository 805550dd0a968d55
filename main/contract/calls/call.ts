import type { z } from 'zod';

/** Names on Electron's wire, in a file of their own: preload runs before every page and needs nothing else of the contract. */
export const channels = {
  call: 'workbench:call',
  event: 'workbench:event',
  given: 'workbench:given',
} as const;

export interface Call<Input extends z.ZodType, Output> {
  readonly input: Input;
  /** Output type only: outputs come from the trusted side and are not parsed again. */
  readonly output?: Output;
}

export const call = <Output>() => ({
  with: <Input extends z.ZodType>(input: Input): Call<Input, Output> => ({ input }),
});
