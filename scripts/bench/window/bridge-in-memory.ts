import type { DeployedRun } from '../../../main/contract/run/run-state';

/** Runs in the page, before its own scripts: the core's side of the bridge with one run. */
export function bridgeInMemory(state: DeployedRun): void {
  const { spec } = state.source;
  const listeners = new Set<(events: string) => void>();
  const answers: Record<string, unknown> = {
    'app.info': { version: '0.0.0', home: '', electron: null },
    'machine.get': { environment: state.environment, engines: [], checks: [] },
    'docker.state': { connection: 'unavailable', host: '', error: null, containers: [], listedAt: null },
    'runs.get': state,
    'runs.list': {
      outdated: [],
      missing: 0,
      runs: [
        {
          runId: state.runId,
          dir: '',
          preset: spec.model.preset,
          profile: spec.model.profile,
          format: spec.format,
          precision: spec.precision,
          engine: spec.engine.kind,
          status: state.status,
          createdAt: state.createdAt,
          updatedAt: state.updatedAt,
          best: null,
          accuracyPassed: null,
          unverified: false,
          tags: [],
          note: '',
          waitsFor: null,
          origin: state.origin,
          damagedLines: [],
          imported: null,
        },
      ],
    },
  };
  Object.assign(window, {
    workbench: {
      call: (name: string) => Promise.resolve({ ok: true, value: answers[name] ?? [] }),
      on: (listener: (events: string) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    emitEvents: (events: unknown) => {
      for (const listener of listeners) listener(JSON.stringify(events));
    },
  });
}
