import type { ErrorCode } from '../contract/errors';
import { WorkbenchError } from '../contract/errors';

interface Refusal {
  readonly code?: string;
  readonly statusCode?: number;
  readonly json?: unknown;
  readonly message: string;
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);

export function statusOf(error: unknown): number | null {
  const { statusCode } = (error ?? {}) as Refusal;
  return typeof statusCode === 'number' ? statusCode : null;
}

/** What the engine says in its answer, or the error's own text. */
export function engineMessage(error: unknown): string {
  const { json, message } = (error ?? {}) as Refusal;
  if (typeof json === 'object' && json !== null && 'message' in json && typeof json.message === 'string') {
    return json.message;
  }
  return typeof message === 'string' ? message.trim() : String(error);
}

/** No answer came: the connection broke, or the engine is in trouble. The request may have had its effect. */
export function isUncertain(error: unknown): boolean {
  if (error instanceof WorkbenchError) {
    // An engine says with status 500 that a port is taken; asking again does not free it.
    if (error.code === 'port-taken') return false;
    return error.code === 'docker-unreachable' || (statusOf(error.cause) ?? 0) >= 500;
  }
  const status = statusOf(error);
  return status === null || status >= 500;
}

function codeOf(error: unknown): ErrorCode {
  const { code } = (error ?? {}) as Refusal;
  if (code === 'EACCES' || code === 'EPERM') return 'docker-permission';
  const status = statusOf(error);
  if (status === null) {
    const text = engineMessage(error);
    // HPE_…: what came back was no HTTP.
    const broken = code !== undefined && (unreachable.has(code) || code.startsWith('HPE_'));
    return broken || /socket hang up|aborted|ssh: /.test(text) ? 'docker-unreachable' : 'docker-failed';
  }
  if (status === 404 && /no such image/i.test(engineMessage(error))) return 'image-missing';
  return 'docker-failed';
}

/** @param what the request in words: "start the container twb-…". Errors of the workbench are passed on. */
export function dockerError(error: unknown, what: string): WorkbenchError {
  if (error instanceof WorkbenchError) return error;
  const text = engineMessage(error);
  const taken =
    /(?:Bind for|bind host port(?: for)?|listen tcp\d? ?)\s*([\d.]+:\d+).*(?:port is already allocated|address already in use)/.exec(
      text,
    );
  if (taken !== null) {
    return new WorkbenchError('port-taken', `Port ${taken[1] ?? ''} is in use`, {
      details: text,
      cause: error,
    });
  }
  return new WorkbenchError(codeOf(error), `Cannot ${what}: ${text}`, { cause: error });
}
