import type { EngineStatus } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import type { RunSpec } from '../contract/run-spec';
import type { HomeLayout } from '../platform/layout';
import type { Engine, SweepResult } from './engine';
import { createLocalEngine } from './local/local-engine';
import { createRemoteEngine } from './remote/remote-engine';

export interface Engines {
  /** Throws engine-unavailable for an engine that this version does not have. */
  engineFor(engine: RunSpec['engine']): Engine;
  detect(): Promise<readonly EngineStatus[]>;
  /** Over all engines. */
  sweep(): Promise<SweepResult>;
}

const dockerStatus: EngineStatus = {
  kind: 'docker',
  available: false,
  version: null,
  note: 'This version of the workbench does not start containers.',
  remedy: 'Choose the engine "local", or start the container yourself and choose "remote".',
};

/** Every place to run Triton. */
export function createEngines(options: {
  readonly layout: HomeLayout;
  readonly env: NodeJS.ProcessEnv;
}): Engines {
  const local = createLocalEngine(options);
  return {
    engineFor(engine) {
      switch (engine.kind) {
        case 'local':
          return local;
        case 'remote':
          return createRemoteEngine(engine.url);
        case 'docker':
          throw new WorkbenchError('engine-unavailable', dockerStatus.note, {
            remedy: dockerStatus.remedy ?? undefined,
          });
      }
    },
    detect: async () => [await local.detect(), dockerStatus, await createRemoteEngine(null).detect()],
    sweep: () => local.sweep(),
  };
}
