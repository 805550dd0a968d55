import type { RunState } from '../../../main/contract/run/run-state';

/** Runs in the page, before its own scripts: the core's side of the bridge with one run. */
export function bridgeInMemory(state: RunState): void {
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
          preset: state.spec.model.preset,
          profile: state.spec.model.profile,
          format: state.spec.format,
          precision: state.spec.precision,
          engine: state.spec.engine.kind,
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
    tellWindow: (events: unknown) => {
      for (const listener of listeners) listener(JSON.stringify(events));
    },
  });
}
