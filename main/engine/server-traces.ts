/** Trace files of a Triton that the workbench started: `<file>.<n>`, a complete one for each time that tracing was on. */
export interface ServerTraces {
  /** Names of those that are there. */
  list(): Promise<readonly string[]>;
  /** Moves one to a file of this machine. Throws file-unwritable, docker-unreachable, docker-failed. */
  take(name: string, to: string): Promise<void>;
}

/** Option of Triton: nothing is traced or written before its trace settings say so. The file cannot be set later. */
export const traceOption = (file: string): string => `--trace-config=triton,file=${file}`;

export const traceFileName = 'trace.json';

/** Whether the name is that of a file of its own, "trace.json.0". */
export const isTraceFile = (name: string): boolean => /^trace\.json\.\d{1,9}$/.test(name);
