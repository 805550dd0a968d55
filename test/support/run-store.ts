import { join } from 'node:path';
import { RunKey } from '../../main/store/run-key';
import { RunStore } from '../../main/store/run-store';

/** The runs of a folder with a key of their own, in the folder where no other is named: no run's name begins with a dot. */
export const runStore = (runsDir: string, keyFile = join(runsDir, '.run-key')): RunStore =>
  new RunStore(runsDir, new RunKey(keyFile));
