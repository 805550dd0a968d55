import { command } from '../command.mjs';

/**
 * The time that a package gives its files, in seconds: SOURCE_DATE_EPOCH, or that of the last commit, so that the same
 * sources make the same package; the time of the build where neither is known.
 */
export async function sourceDate(root, env = process.env) {
  if (/^\d+$/.test(env.SOURCE_DATE_EPOCH ?? '')) return Number(env.SOURCE_DATE_EPOCH);
  const said = await command('git', ['log', '-1', '--format=%ct'], { cwd: root, collect: true });
  const seconds = said.output.trim();
  return said.code === 0 && /^\d+$/.test(seconds) ? Number(seconds) : Math.floor(Date.now() / 1000);
}
