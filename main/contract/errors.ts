import type { ErrorCode } from './error-text';
import { present } from './trees';

export type { ErrorCode } from './error-text';

/** Plain-object form of an error; its schema is in `wire-error.ts`. */
export interface WireError {
  code: ErrorCode;
  /** What happened, with the line or value that shows it. */
  message: string;
  /** Place (file, field, step), and the remedy where that of the code is not enough. */
  where?: string | undefined;
  remedy?: string | undefined;
  /** Evidence, folded away: last log lines, exit code, response body. */
  details?: string | undefined;
}

export interface WorkbenchErrorOptions {
  readonly where?: string | undefined;
  readonly remedy?: string | undefined;
  readonly details?: string | undefined;
  readonly cause?: unknown;
}

/** The one error class that crosses module borders. */
export class WorkbenchError extends Error {
  override readonly name = 'WorkbenchError';
  readonly code: ErrorCode;
  readonly where: string | undefined;
  readonly remedy: string | undefined;
  readonly details: string | undefined;

  constructor(code: ErrorCode, message: string, options: WorkbenchErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.where = options.where;
    this.remedy = options.remedy;
    this.details = options.details;
  }
}

/** An error in user input. `where`: an option, a file, a field of the specification. */
export const invalidInput = (where: string | undefined, message: string, remedy?: string): WorkbenchError =>
  new WorkbenchError('input-invalid', message, { where, remedy });

/** After an update the lazily loaded files of the old version are gone. */
const isMissingPart = (error: Error): boolean => 'code' in error && error.code === 'MODULE_NOT_FOUND';

const missingPart = ({ message }: Error): Pick<WireError, 'message' | 'remedy'> => ({
  message: message.split('\n')[0] ?? message,
  remedy: 'The program was probably updated while it ran. Restart it, and resume the run.',
});

/** Any thrown value as a plain object for the journal, IPC and `--json`. */
export function toWire(error: unknown): WireError {
  if (error instanceof WorkbenchError) {
    return {
      code: error.code,
      message: error.message,
      ...present({ where: error.where, remedy: error.remedy, details: error.details }),
    };
  }
  if (error instanceof Error) {
    return {
      code: 'internal',
      ...(isMissingPart(error) ? missingPart(error) : { message: error.message }),
      ...(error.stack === undefined ? {} : { details: error.stack }),
    };
  }
  return { code: 'internal', message: String(error) };
}

export function fromWire(wire: WireError): WorkbenchError {
  return new WorkbenchError(wire.code, wire.message, {
    where: wire.where,
    remedy: wire.remedy,
    details: wire.details,
  });
}
