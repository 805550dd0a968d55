import type { OfKind } from '../../contract/run/engine-kinds';
import { thisMachine } from '../engine';
import type { Engine } from '../engine-interface';
import { withoutImages } from '../without-images';
import { sweepLocalEngines } from './engine-record';
import { detectLocalTriton } from './local-triton';
import { portProblems } from './port-problems';
import { openProcess, plannedProcess } from './process-executor';

export const localEngine: Engine<OfKind<'local'>> = {
  ...withoutImages,
  detect: async ({ layout }) => [await detectLocalTriton(layout)],
  open: (_engine, spec, run, parts) => Promise.resolve(openProcess(spec, run, parts)),
  deviceOf: () => Promise.resolve(thisMachine),
  plannedServer: (engine, _spec, run) => plannedProcess(engine, run),
  startProblems: portProblems,
  sweep: async ({ layout }) => ({ ...(await sweepLocalEngines(layout.engines)), removedContainers: [] }),
};
