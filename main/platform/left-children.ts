import { childOfVariable, readChildOf } from './children';
import { endProcesses, processesWhere } from './process-environment';
import { isAlive } from './process-identity';
import { pidNamespace } from './process-place';

/** What does not end in that time has been told to, and comes back to nothing that it could write. */
const goneDeadlineMs = 3000;

/**
 * Ends the children of workbenches that no longer run, whatever their home was, and all that these started. Of another
 * PID namespace the processes may be seen from here but not whether their workbench lives: they are left to it.
 * Gives the ended.
 */
export async function endLeftChildren(): Promise<readonly number[]> {
  const here = pidNamespace();
  const isLeft = (text: string): boolean => {
    const workbench = readChildOf(text);
    return workbench !== null && workbench.pidNamespace === here && !isAlive(workbench);
  };
  const find = async () =>
    (await processesWhere(childOfVariable, isLeft)).filter((pid) => pid !== process.pid);
  return (await endProcesses(find, goneDeadlineMs)).ended;
}
