import type { CoreEvent, Handlers } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import type { ToolFacts } from '../contract/machine';
import { componentFacts } from '../contract/setup';
import { missingTools } from '../engine/local/toolchain';
import type { HomeLayout } from '../platform/layout';
import { type Setup, supportsSetup } from '../setup/setup';
import { createToolWork, type ToolWork } from './tool-work';

interface ToolCallsOptions {
  readonly layout: HomeLayout;
  readonly setup: Setup;
  readonly emit: (event: CoreEvent) => void;
  /** Where the core runs; this machine when absent. */
  readonly system?: { readonly platform: string; readonly arch: string };
}

/** The tools in the workbench home: which are there, and one piece of work on them at a time. */
export interface ToolCalls
  extends Pick<Setup, 'list' | 'plan' | 'systemPackages'>, Pick<ToolWork, 'start' | 'cancel' | 'ended'> {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `tools.${string}`>>;
  facts(): Promise<ToolFacts>;
  /** Titles of what the work under way changes. */
  underWay(): readonly string[];
  /** Cancels the work and waits for its end. */
  close(): Promise<void>;
}

export function createToolCalls({ layout, setup, emit, system = process }: ToolCallsOptions): ToolCalls {
  const installable = supportsSetup(system.platform, system.arch);
  const work = createToolWork(setup, emit);
  /** Throws toolchain-missing where there are no packages for this system. */
  const start: ToolCalls['start'] = (action, ids) => {
    if (!installable) {
      throw new WorkbenchError(
        'toolchain-missing',
        `The tools can be installed on Linux x86-64 and arm64 only, and this is ${system.platform} ${system.arch}`,
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
    cancel: () => {
      work.cancel();
    },
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
