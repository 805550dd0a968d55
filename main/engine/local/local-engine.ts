import { errorText } from '../../contract/error-text';
import { toWire } from '../../contract/errors';
import type { EngineStatus } from '../../contract/machine';
import type { HomeLayout } from '../../platform/layout';
import type { EnsurePython } from '../../toolkit/toolkit';
import type { Engine } from '../engine';
import type { InContainer } from '../job-triton';
import { sweepLocalEngines } from './engine-record';
import { startLocalServer } from './start-server';
import { readLocalToolchain, rememberedTritonVersion, rememberTritonVersion } from './toolchain';

/** Milliseconds that a server has to become ready. */
const startDeadlineMs = 60_000;

interface LocalEngineOptions {
  readonly layout: HomeLayout;
  /** Environment of the servers, beside what they need. */
  readonly env: NodeJS.ProcessEnv;
  /** Python that runs the models; the workbench's own when absent. */
  readonly modelPython?: EnsurePython | undefined;
  /** Of a server in a container of a job, in place of the one of the home. */
  readonly inContainer?: InContainer | undefined;
}

const note =
  'For evaluation and tests: Triton 2.51 from the PyPI wheel, on CPU, loopback only. Use the container image for production.';

/** The real Triton of the workbench home, one process group a server. */
export function createLocalEngine(options: LocalEngineOptions): Engine {
  const { layout } = options;
  return {
    kind: 'local',
    async detect(): Promise<EngineStatus> {
      try {
        await readLocalToolchain(layout);
        const version = await rememberedTritonVersion(layout);
        return { kind: 'local', available: true, version, note, remedy: null };
      } catch (error) {
        const { code, message } = toWire(error);
        return {
          kind: 'local',
          available: false,
          version: null,
          note: message,
          remedy: errorText[code].remedy,
        };
      }
    },
    async startServer(start) {
      const python = await options.modelPython?.({
        signal: start.signal,
        onProgress: (_fraction, text) => {
          start.onLog([text]);
        },
        onStderrLine: (line) => {
          start.onLog([line]);
        },
      });
      const handle = await startLocalServer({
        program:
          options.inContainer === undefined
            ? { toolchain: await readLocalToolchain(layout, python) }
            : { inContainer: options.inContainer },
        env: options.env,
        records: layout.engines,
        start,
        deadlineMs: startDeadlineMs,
      });
      // Only for showing: a full disk must not cost the server.
      if (options.inContainer === undefined) {
        await rememberTritonVersion(layout, handle.tritonVersion).catch(() => undefined);
      }
      return handle;
    },
    sweep: () => sweepLocalEngines(layout.engines),
  };
}
