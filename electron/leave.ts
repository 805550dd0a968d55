import { spawn } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { App } from 'electron';

/** Time for Chromium to write its profile and end. */
const endsWithinSeconds = 5;

/** A child that ends its parent, `$1`, unless that has ended by then: from then on it has another parent itself. */
const guard = `
tenths=0
while [ $tenths -lt ${endsWithinSeconds * 10} ]; do
  read -r pid name state parent rest < /proc/$$/stat
  [ "$parent" = "$1" ] || exit 0
  sleep 0.1
  tenths=$((tenths + 1))
done
kill -KILL "$1"
`;

/** Collects all garbage and lets finalizers run while scripts still can. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * Ends the process, for certain. Electron 25, the runtime where a newer one cannot be had, may never end by itself: it
 * runs V8's tasks after scripts have been forbidden, and the one that calls a FinalizationRegistry back then posts
 * itself anew for ever, at full load and with the lock that lets one window open. It takes a garbage collection in the
 * last milliseconds, so one is made before; what still happens is ended from outside.
 */
export async function leave(app: App, code: number): Promise<void> {
  if (process.platform === 'linux') {
    const child = spawn('/bin/sh', ['-c', guard, 'sh', String(process.pid)], {
      detached: true,
      stdio: 'ignore',
    });
    // Without a guard it ends as any Electron does.
    child.once('error', () => undefined);
    child.unref();
  }
  // A failure here must not keep the process.
  await collectGarbage().catch(() => undefined);
  app.exit(code);
}
