import type { TestTriton } from '../../test/support/triton';
import { startTestTriton } from '../../test/support/triton';
import { models } from './scenarios';

/**
 * A Triton with the models that are measured, or one of them. `compute` works on one thread: a server that computes on all
 * processors measures its own fight with the client, so one is left to whoever sends.
 */
export function startBenchTriton(name?: string): Promise<TestTriton> {
  process.env['OPENBLAS_NUM_THREADS'] = '1';
  return startTestTriton(models.filter((model) => name === undefined || model.name === name));
}
