import { WorkbenchError } from '../contract/errors';

/** What a server said to a request for the file, or for its rest. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
}

/** What is there of the file. `total`: its whole size as told when the download began. */
export interface Begun {
  readonly bytes: number;
  /** What names this very content: a strong ETag, else its date. */
  readonly validator: string;
  readonly total: number;
}

/** `from` the byte that the answer's body begins at; `total` null where the server does not say. */
type AnswerPlan =
  | {
      readonly kind: 'take';
      readonly from: number;
      readonly total: number | null;
      readonly validator: string;
    }
  /** All bytes are there already. */
  | { readonly kind: 'whole' }
  /** What is there is of no use: ask for the whole file. */
  | { readonly kind: 'anew' }
  | { readonly kind: 'refuse'; readonly error: WorkbenchError; readonly again: boolean };

const wholeNumber = (text: string | null | undefined): number | null =>
  text !== null && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;

/** A weak ETag may stand for other bytes, so it resumes nothing (RFC 9110, 13.1.5). */
function validatorOf(headers: Headers): string {
  const etag = headers.get('etag') ?? '';
  return etag.startsWith('"') ? etag : (headers.get('last-modified') ?? '');
}

/** "bytes 200-999/1000" or "bytes *" and the total as numbers. */
function parseContentRange(text: string | null): { first: number | null; total: number | null } {
  const [, first, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(text ?? '') ?? [];
  return { first: wholeNumber(first), total: wholeNumber(total) };
}

const askAgain = (status: number): boolean => status === 408 || status === 429 || status >= 500;

function refusal(status: number): WorkbenchError {
  const denied = status === 401 || status === 403;
  return new WorkbenchError('download-failed', `The server returned HTTP status ${status}`, {
    ...(denied
      ? { remedy: 'The file requires an account or an accepted license. Download it by hand from its page.' }
      : {}),
    ...(status === 404 || status === 410
      ? { remedy: 'The file no longer exists. See its page for the new address.' }
      : {}),
  });
}

function planRest(headers: Headers, encoding: string, begun: Begun): AnswerPlan {
  const { first, total } = parseContentRange(headers.get('content-range'));
  const now = validatorOf(headers);
  const same = first === begun.bytes && total === begun.total && (now === '' || now === begun.validator);
  return same && encoding === 'identity'
    ? { kind: 'take', from: begun.bytes, total, validator: begun.validator }
    : { kind: 'anew' };
}

/** Pure: what is to be done with an answer, given what is there already. */
export function planAnswer(answer: Answer, begun: Begun | null): AnswerPlan {
  const { status, headers } = answer;
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (status === 206 && begun !== null) return planRest(headers, encoding, begun);
  if (status === 416 && begun !== null) {
    const { total } = parseContentRange(headers.get('content-range'));
    return total === begun.bytes && total === begun.total ? { kind: 'whole' } : { kind: 'anew' };
  }
  // Also when the rest was asked for: the server knows no ranges, or has other content now.
  if (status === 200) {
    const total = encoding === 'identity' ? wholeNumber(headers.get('content-length')) : null;
    return { kind: 'take', from: 0, total, validator: encoding === 'identity' ? validatorOf(headers) : '' };
  }
  return { kind: 'refuse', error: refusal(status), again: askAgain(status) };
}
