import type { z } from 'zod';

export interface Call<Input extends z.ZodType, Output> {
  readonly input: Input;
  /** Carries the output type only; outputs come from the trusted side and are not parsed again. */
  readonly output?: Output;
}

export const call = <Output>() => ({
  with: <Input extends z.ZodType>(input: Input): Call<Input, Output> => ({ input }),
});
