import { join } from 'node:path';
import type { CoreEvent, Handlers } from '../contract/api';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';
import { type InstallWork, type ToolFacts, toolList } from '../contract/machine';
import { missingTools } from '../engine/local/toolchain';
import { exec, type ExecResult } from '../platform/exec';
import { exists } from '../platform/files';
import type { HomeLayout } from '../platform/layout';

const keptLines = 200;
/** pip and its downloads end at the first signal; what they began is made anew next time. */
const graceMs = 5000;

interface ToolCallsOptions {
  readonly layout: HomeLayout;
  readonly env: NodeJS.ProcessEnv;
  /** The clone with the set-up scripts; null where there is none. */
  readonly clone: string | null;
  readonly emit: (event: CoreEvent) => void;
}

/** The tools in the workbench home: which are missing, and installing them. */
export interface ToolCalls {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `tools.${string}`>>;
  facts(): Promise<ToolFacts>;
  /** Cancels the installation and waits for its end. */
  close(): Promise<void>;
}

function setupFailed({ exitCode, signal, stderrTail }: ExecResult): WireError {
  // The set-up ends with one sentence: what, why, and what to do.
  const sentence = [...stderrTail].reverse().find((line) => line.startsWith('error: '));
  const end = exitCode === null ? `signal ${signal ?? 'unknown'}` : `exit code ${exitCode}`;
  return {
    code: 'toolchain-missing',
    message: sentence?.slice('error: '.length) ?? `The setup failed with ${end}.`,
    remedy: 'Fix the cause, then install again. Completed downloads are kept.',
    details: stderrTail.join('\n'),
  };
}

function setupNotStarted(cause: unknown): WireError {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return toWire(cause);
  return {
    code: 'toolchain-missing',
    message: 'The setup needs Node.js, which is not on the PATH of the window.',
    remedy: 'Start the window with "npm start" in the repository clone.',
  };
}

export function createToolCalls({ layout, env, clone, emit }: ToolCallsOptions): ToolCalls {
  const script = clone === null ? null : join(clone, 'scripts', 'setup.mjs');
  const state: { work: InstallWork | null; stop: AbortController; ended: Promise<void> } = {
    work: null,
    stop: new AbortController(),
    ended: Promise.resolve(),
  };
  const facts = async (): Promise<ToolFacts> => ({
    missing: await missingTools(layout),
    installable: script !== null && (await exists(script)),
  });
  const keep = (work: InstallWork): void => {
    state.work = work;
    emit({ type: 'install-work', work });
  };
  const begin = (program: string, cwd: string): void => {
    const lines: string[] = [];
    const stop = new AbortController();
    state.stop = stop;
    const shown = () => lines.slice(-keptLines);
    const onLine = (line: string) => {
      if (line.trim() === '') return;
      lines.push(line);
      keep({ status: 'running', lines: shown(), error: null });
    };
    keep({ status: 'running', lines: [], error: null });
    state.ended = exec({
      argv: ['node', program],
      cwd,
      env: { ...env, TRITON_WORKBENCH_HOME: layout.home },
      signal: stop.signal,
      killGraceMs: graceMs,
      onStdoutLine: onLine,
      onStderrLine: onLine,
    }).then(
      (result) => {
        const error = result.exitCode === 0 ? null : setupFailed(result);
        if (result.aborted) keep({ status: 'cancelled', lines: shown(), error: null });
        else keep({ status: error === null ? 'done' : 'failed', lines: shown(), error });
      },
      (cause: unknown) => {
        keep({ status: 'failed', lines: shown(), error: setupNotStarted(cause) });
      },
    );
  };
  return {
    facts,
    handlers: {
      'tools.install': async () => {
        if (state.work?.status === 'running') return null;
        const { missing, installable } = await facts();
        if (script === null || clone === null || !installable) {
          throw new WorkbenchError(
            'toolchain-missing',
            `The workbench does not run from a repository clone, so it cannot install ${toolList(missing)}`,
            { remedy: 'Run "npm run demo" in a clone of the workbench, or run in Docker containers.' },
          );
        }
        begin(script, clone);
        return null;
      },
      'tools.cancelInstall': async () => {
        state.stop.abort();
        await state.ended;
        return null;
      },
      'tools.installWork': () => Promise.resolve(state.work),
    },
    close: async () => {
      state.stop.abort();
      await state.ended;
    },
  };
}
