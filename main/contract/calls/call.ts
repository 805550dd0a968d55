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
  /** The answer crosses as its text: a large one is copied value by value otherwise, which takes ten times as long. */
  readonly asText?: true;
}

export const call = <Output>() => ({
  with: <Input extends z.ZodType>(input: Input): Call<Input, Output> => ({ input }),
  /** Of outputs that come from JSON and may have megabytes. */
  asTextWith: <Input extends z.ZodType>(input: Input): Call<Input, Output> => ({ input, asText: true }),
});
