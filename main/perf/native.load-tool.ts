import type { LoadTool } from './load-tool';
import { levelInTurns } from './native/level/level-in-turns';
import { measureLevel } from './native/level/measure-level';
import { measureTogether } from './native/level/measure-together';

/** The workbench's own load generator. @param options.workerFile bundled entry of its worker thread. */
export function createNativeTool(options: { readonly workerFile: string }): LoadTool {
  return {
    id: 'native',
    measure: async (input) => (await measureLevel(options.workerFile, input)).point,
    measureTogether: (inputs) => measureTogether(options.workerFile, inputs),
    levelInTurns: (input) => levelInTurns(options.workerFile, input),
  };
}
