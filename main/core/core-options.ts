import type { RunServices } from '../pipeline/step';

/** Everything from outside comes in as a value: the core knows no window and no global. */
export interface CoreOptions {
  readonly home: string;
  /** The `resources` folder of the product. */
  readonly resources: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Bundled entry of the native load generator. */
  readonly workerFile: string;
  /** Bundled entry of the process that reads what comes from outside. */
  readonly readerFile: string;
  readonly printPdf: RunServices['printPdf'];
  /** Version of the Electron that the core runs in; null without. */
  readonly electron: string | null;
  /** Tell also of runs that other processes work on. */
  readonly follow?: boolean;
}
