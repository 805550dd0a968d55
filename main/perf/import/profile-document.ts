import { invalidInput, type WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { parseBoundedJson } from '../../platform/parse-json';

/** JSON.parse is exact for 15 digits. */
const mostDigits = 15;

const code = (letter: string): number => letter.charCodeAt(0);
const [quote, backslash, zero, nine] = [code('"'), code('\\'), code('0'), code('9')];
/** Neighbors that make digits a part of another number. */
const parts: ReadonlySet<number> = new Set(['.', 'e', 'E', '+', '-'].map(code));

/** End of the string that begins at `at`, or the end of the text. */
function textEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) !== quote)
    end += text.charCodeAt(end) === backslash ? 2 : 1;
  return end + 1;
}

/**
 * Quotes integers of 16 digits and more, because nanoseconds since 1970 exceed JSON.parse's precision. Strings stay
 * unchanged. One pass, because files have millions of numbers.
 */
function exactNumbers(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length;) {
    const letter = text.charCodeAt(at);
    if (letter === quote) at = textEnd(text, at);
    else if (letter < zero || letter > nine) at += 1;
    else {
      const start = at;
      while (text.charCodeAt(at) >= zero && text.charCodeAt(at) <= nine) at += 1;
      if (at - start <= mostDigits) continue;
      if (parts.has(text.charCodeAt(start - 1)) || parts.has(text.charCodeAt(at))) continue;
      kept.push(text.slice(from, start), text.slice(start, at));
      from = at;
    }
  }
  // Numbers and the text between them alternate.
  kept.push(text.slice(from));
  return kept.join('"');
}

/** A request with its send and response times. */
interface ProfileRequest {
  readonly sentNs: bigint;
  /** null without a response. */
  readonly lastResponseNs: bigint | null;
}

export interface ProfileExperiment {
  readonly mode: string;
  readonly value: number;
  readonly requests: readonly ProfileRequest[];
  /** Nanoseconds, as the times of the requests. */
  readonly windowBoundaries: readonly bigint[];
}

export const refusedProfile = (message: string, where: string): WorkbenchError =>
  invalidInput(where, message, 'Use a file written by perf_analyzer with --profile-export-file.');

const { levels: mostLevels, windows: mostWindows } = fileLimits.profileExport;

function parseJson(text: string, fileName: string): unknown {
  try {
    return parseBoundedJson(exactNumbers(text));
  } catch (cause) {
    throw refusedProfile(
      `Not a JSON file: ${cause instanceof Error ? cause.message : String(cause)}`,
      fileName,
    );
  }
}

/** Reads the fields by hand: each is looked at once, and the first that is wrong ends it, however many there are. */
class ProfileReader {
  private windows = 0;

  constructor(private readonly fileName: string) {}

  experiments(document: unknown): ProfileExperiment[] {
    const list = this.list(this.member(document, 'experiments', ''), 'experiments');
    if (list.length === 0) throw this.refused('there is no experiment', 'experiments');
    if (list.length > mostLevels) throw this.refused(`more than ${mostLevels} experiments`, 'experiments');
    return list.map((value, index) => this.experiment(value, `experiments[${index}]`));
  }

  private experiment(value: unknown, at: string): ProfileExperiment {
    const load = this.member(value, 'experiment', at);
    const mode = this.member(load, 'mode', `${at}.experiment`);
    const level = this.member(load, 'value', `${at}.experiment`);
    if (typeof mode !== 'string') throw this.refused('expected a string', `${at}.experiment.mode`);
    if (typeof level !== 'number') throw this.refused('expected a number', `${at}.experiment.value`);
    const requests = this.list(this.member(value, 'requests', at), `${at}.requests`).map((request, index) =>
      this.request(request, `${at}.requests[${index}]`),
    );
    const bounds = this.member(value, 'window_boundaries', at);
    return {
      mode,
      value: level,
      requests,
      windowBoundaries: bounds === undefined ? [] : this.bounds(bounds, `${at}.window_boundaries`),
    };
  }

  private request(value: unknown, at: string): ProfileRequest {
    const sentNs = this.nanoseconds(this.member(value, 'timestamp', at), `${at}.timestamp`);
    const responses = this.list(this.member(value, 'response_timestamps', at), `${at}.response_timestamps`);
    const index = responses.length - 1;
    return {
      sentNs,
      lastResponseNs:
        index < 0 ? null : this.nanoseconds(responses[index], `${at}.response_timestamps[${index}]`),
    };
  }

  private bounds(value: unknown, at: string): bigint[] {
    const list = this.list(value, at);
    this.windows += list.length;
    if (this.windows > mostWindows) throw this.refused(`more than ${mostWindows} windows in the file`, at);
    return list.map((bound, index) => this.nanoseconds(bound, `${at}[${index}]`));
  }

  private member(value: unknown, name: string, at: string): unknown {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw this.refused('expected an object', at);
    }
    return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }

  private list(value: unknown, at: string): readonly unknown[] {
    if (Array.isArray(value)) return value as readonly unknown[];
    throw this.refused('expected a list', at);
  }

  private nanoseconds(value: unknown, at: string): bigint {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
    // Nineteen digits go to the year 2262.
    if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
    throw this.refused('expected a number of nanoseconds', at);
  }

  private refused(message: string, at: string): WorkbenchError {
    return refusedProfile(
      `Not written by perf_analyzer: ${message}`,
      `${this.fileName}, ${at === '' ? 'the whole file' : at}`,
    );
  }
}

/** Only the experiments. Throws input-invalid with the field. */
export function readProfileDocument(text: string, fileName: string): ProfileExperiment[] {
  return new ProfileReader(fileName).experiments(parseJson(text, fileName));
}
