import { errorText, titledMessage } from '../../contract/error-text';
import type { WireError } from '../../contract/errors';
import { remedyOf } from '../../contract/remedy';
import { paint } from './terminal';

// Apart from `output.ts`: remedies know every field of the specification, which a command that works needs not load.

/** Title, cause, remedy and folded evidence, as in the window. */
export function formatError(error: WireError): string {
  const { title } = errorText[error.code];
  const said = titledMessage(error);
  const cut = title.length + (said.charAt(title.length) === ':' ? 1 : 0);
  const lines = [`${paint('bad', said.slice(0, cut))}${said.slice(cut)}`];
  // A problem of the whole specification has an empty path.
  if (error.where !== undefined && error.where !== '')
    lines.push(`  ${paint('title', 'where:')}  ${error.where}`);
  lines.push(`  ${paint('title', 'remedy:')} ${remedyOf(error, 'command')}`);
  if (error.details !== undefined && error.details !== '') {
    lines.push(`  ${paint('title', 'details:')}`, `    ${error.details.replaceAll('\n', '\n    ')}`);
  }
  return lines.join('\n');
}

/** What `--json` prints in place of a result. The remedy is the one that people read. */
export const errorDocument = (error: WireError) => ({
  error: { ...error, remedy: remedyOf(error, 'command') },
});
