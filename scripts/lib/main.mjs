import { say, SetupError } from './say.mjs';

const known = {
  EACCES: 'may not be written',
  EPERM: 'may not be written',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a full disk',
};

/** Runs a script's main function; what the user can mend is told in one sentence, without a stack trace. */
export async function main(run) {
  try {
    process.exitCode = await run(process.argv.slice(2));
  } catch (error) {
    if (error instanceof SetupError) say(`error: ${error.message}`);
    else if (error.code in known) {
      say(`error: ${error.path ?? 'A folder'} ${known[error.code]}: fix that and run the command again.`);
    } else throw error;
    process.exitCode = 1;
  }
}
