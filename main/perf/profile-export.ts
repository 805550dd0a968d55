import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadLevel } from '../contract/run/sweep';
import { writeOutput } from '../platform/files';
import type { KeptRequests } from './native/seam/load-job';

/** Nanoseconds since 1970 as text, beyond a number's precision. */
function nanoseconds(us: number): string {
  const whole = Math.floor(us);
  return (BigInt(whole) * 1000n + BigInt(Math.round((us - whole) * 1000))).toString();
}

function requestTexts({ originUs, times }: KeptRequests): string[] {
  const texts: string[] = [];
  for (let at = 0; at < times.length;) {
    const [sentUs = 0, count = 0] = times.subarray(at, at + 2);
    const answers = [...times.subarray(at + 2, at + 2 + count)].map((us) => nanoseconds(originUs + us));
    texts.push(
      `{"timestamp":${nanoseconds(originUs + sentUs)},"response_timestamps":[${answers.join(',')}]}`,
    );
    at += 2 + count;
  }
  return texts;
}

/** An experiment in perf_analyzer's profile format. */
export function experimentText(level: LoadLevel, windows: readonly KeptRequests[]): string {
  const load =
    level.requestRate === undefined
      ? `{"mode":"concurrency","value":${level.concurrency}}`
      : `{"mode":"request_rate","value":${level.requestRate}}`;
  // Turns interleave with other levels' windows.
  const bounds = windows.flatMap(({ originUs, startUs, endUs }) => [originUs + startUs, originUs + endUs]);
  const distinct = bounds.filter((us, index) => index === 0 || us > (bounds[index - 1] ?? us));
  const requests = windows.flatMap(requestTexts);
  return `{"experiment":${load},"requests":[${requests.join(',')}],"window_boundaries":[${distinct.map(nanoseconds).join(',')}]}`;
}

const documentOf = (experiments: readonly string[]): string =>
  `{"experiments":[${experiments.join(',')}],"version":"","service_kind":"triton","endpoint":""}\n`;

export async function writeExperiment(path: string, experiment: string): Promise<void> {
  await writeFile(path, documentOf([experiment]));
}

/** The experiments as text: times exceed JSON.parse's precision. */
const experimentsIn = (text: string): string =>
  text.slice(text.indexOf('[') + 1, text.lastIndexOf('],"version"'));

/** Suffix of a level's file. */
export const profileEnding = '.profile.json';

/** Joins the levels' files in order, skipping missing ones. */
export async function joinProfiles(dir: string, out: string): Promise<void> {
  const names = (await readdir(dir)).filter((name) => name.endsWith(profileEnding));
  names.sort(new Intl.Collator('en', { numeric: true }).compare);
  const paths = names.map((name) => join(dir, name));
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => null)));
  await writeOutput(out, documentOf(texts.flatMap((text) => (text === null ? [] : experimentsIn(text)))));
}
