import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { say, SetupError } from './say.mjs';

const held = [];

/** File descriptors of the locks held now. */
export function heldLocks() {
  return [...held];
}

function flock(fd, args) {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', [...args, '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.on('error', () => {
      reject(new SetupError('The program flock is missing: install the package util-linux and try again.'));
    });
    child.on('exit', (code) => resolve(code === 0));
  });
}

/**
 * Locks a folder against other set-ups until `unlockAll` or the end of this process and of every program it
 * started. It is the kernel's lock on the open folder: nothing is left behind by a kill.
 */
export async function lockFolder(folder) {
  const fd = openSync(folder, 'r');
  held.push(fd);
  if (await flock(fd, ['-x', '-n'])) return;
  say(`Waiting for another setup in ${folder} to finish`);
  await flock(fd, ['-x']);
}

export function unlockAll() {
  for (const fd of held.splice(0)) closeSync(fd);
}
