import type { CoreEvent, Handlers } from '../contract/api';
import { toWire, WorkbenchError } from '../contract/errors';
import type { ToolFacts } from '../contract/machine';
import { componentFacts, type ComponentId, type SetupAction, type SetupWork } from '../contract/setup';
import { missingTools } from '../engine/local/server-command';
import type { HomeLayout } from '../platform/layout';
import { type Setup, supportsSetup, type WorkListener } from '../setup/setup';

interface ToolCallsOptions {
  readonly layout: HomeLayout;
  readonly setup: Setup;
  readonly emit: (event: CoreEvent) => void;
  /** Defaults to this machine. */
  readonly system?: { readonly platform: string; readonly arch: string };
}

const keptLines = 200;

/** Runs one set-up at a time, and emits its state. */
interface ToolWork {
  current(): SetupWork | null;
  /** No-op while one is active. */
  start(action: SetupAction, ids: readonly ComponentId[]): void;
  cancel(): void;
  /** The active work at its end, or the last one; null if nothing was started. */
  ended(): Promise<SetupWork | null>;
}

function createToolWork(setup: Setup, emit: (event: CoreEvent) => void): ToolWork {
  const state: { work: SetupWork | null; stop: AbortController; ended: Promise<void> } = {
    work: null,
    stop: new AbortController(),
    ended: Promise.resolve(),
  };
  const keep = (change: Partial<SetupWork>): void => {
    if (state.work === null) return;
    state.work = { ...state.work, ...change };
    emit({ type: 'setup-work', work: state.work });
  };
  const listenerOf = (signal: AbortSignal): WorkListener => {
    const lines: string[] = [];
    return {
      signal,
      onComponent: (component) => keep({ component, fraction: null, text: 'Starting' }),
      onProgress: (fraction, text) => keep({ fraction, text }),
      onStderrLine: (line) => {
        lines.push(line);
        keep({ lines: lines.slice(-keptLines) });
      },
    };
  };
  const work = async (action: SetupAction, ids: readonly ComponentId[], listener: WorkListener) => {
    if (action === 'remove') await setup.remove(ids, listener);
    else await setup.install(ids, { repair: action === 'repair' }, listener);
  };
  return {
    current: () => state.work,
    start: (action, ids) => {
      if (state.work?.status === 'running') return;
      state.stop = new AbortController();
      state.work = {
        action,
        status: 'running',
        components: ids,
        component: null,
        fraction: null,
        text: 'Starting',
        lines: [],
        error: null,
      };
      keep({});
      state.ended = work(action, ids, listenerOf(state.stop.signal)).then(
        () => {
          keep({ status: 'done', component: null, fraction: 1, text: 'Done' });
        },
        (cause: unknown) => {
          const error = toWire(cause);
          if (error.code === 'cancelled') keep({ status: 'cancelled', text: 'Cancelled' });
          else keep({ status: 'failed', text: error.message, error });
        },
      );
    },
    cancel: () => state.stop.abort(),
    ended: async () => {
      await state.ended;
      return state.work;
    },
  };
}

/** The tools in the workbench home. */
export interface ToolCalls
  extends Pick<Setup, 'list' | 'plan' | 'systemPackages'>, Pick<ToolWork, 'start' | 'cancel' | 'ended'> {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `tools.${string}`>>;
  facts(): Promise<ToolFacts>;
  underWay(): readonly string[];
  /** Cancels the work and waits for its end. */
  close(): Promise<void>;
}

export function createToolCalls({ layout, setup, emit, system = process }: ToolCallsOptions): ToolCalls {
  const installable = supportsSetup(system.platform, system.arch);
  const work = createToolWork(setup, emit);
  /** Throws toolchain-missing on a system without packages. */
  const start: ToolCalls['start'] = (action, ids) => {
    if (!installable) {
      throw new WorkbenchError(
        'toolchain-missing',
        `The tools can be installed on Linux x86-64 and arm64 only, but this machine is ${system.platform} ${system.arch}`,
        { remedy: 'Run in Docker containers, or measure a Triton that is already running.' },
      );
    }
    work.start(action, ids);
  };
  const close = async () => {
    work.cancel();
    await work.ended();
  };
  return {
    list: () => setup.list(),
    plan: (ids, how) => setup.plan(ids, how),
    systemPackages: () => setup.systemPackages(),
    facts: async () => ({ missing: await missingTools(layout), installable }),
    underWay: () => {
      const current = work.current();
      return current?.status === 'running' ? current.components.map((id) => componentFacts[id].title) : [];
    },
    start,
    cancel: () => work.cancel(),
    ended: () => work.ended(),
    handlers: {
      'tools.list': () => setup.list(),
      'tools.install': async ({ components, repair }) => {
        await Promise.resolve();
        start(repair ? 'repair' : 'install', components);
        return null;
      },
      'tools.remove': async ({ components }) => {
        await Promise.resolve();
        start('remove', components);
        return null;
      },
      'tools.cancel': async () => {
        await close();
        return null;
      },
      'tools.work': () => Promise.resolve(work.current()),
    },
    close,
  };
}
