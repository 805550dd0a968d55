import type { WireError } from '../../../contract/errors';

/** "load failed for model 'm': version 1 is at UNAVAILABLE state: Internal: ", before what happened. */
const before =
  /^(?:load failed for model '[^']*': )?(?:version \d+ is at UNAVAILABLE state: )?(?:(?:Internal|Unknown|Unavailable|Unsupported|Not found|Already exists|Invalid argument): )?/;

const mostLetters = 300;

/** What Triton or the code of the model says in its first line; '' where it says nothing. */
function firstLine(details: string): string {
  const [line = ''] = details.trim().split('\n');
  const reason = line.replace(before, '').replace(/[\s;.]+$/, '');
  return reason.length > mostLetters ? `${reason.slice(0, mostLetters)}…` : reason;
}

/** Why a side cannot serve the model: "Triton could not load m: ModuleNotFoundError: No module named 'numpy'". Pure. */
export function servingFailure({ code, message, details = '' }: WireError): string {
  const reason = code === 'model-load-failed' ? firstLine(details) : '';
  return reason === '' || message.includes(reason) ? message : `${message}: ${reason}`;
}
