import { type CliResult, startCli } from './cli';
import { until } from './until';

/** Runs the built CLI until its stdout so far is enough, then asks it to end as Ctrl-C does. */
export async function cliUntil(
  home: string,
  args: readonly string[],
  what: string,
  isEnough: (stdout: string) => boolean,
): Promise<CliResult> {
  const { child, result } = startCli(home, args);
  let stdout = '';
  let ended = false;
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.once('close', () => {
    ended = true;
  });
  try {
    await until(what, () => ended || isEnough(stdout));
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  child.kill('SIGINT');
  return result;
}

/** What `--json` has told in whole lines. */
export const linesOf = <T>(stdout: string): T[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
