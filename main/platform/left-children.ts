import { endProcesses, isAlive, pidNamespace, processesAtOnceWhere, type ProcessIdentity } from './process';

/** Marks child processes with their owner as `<pid>.<start time>.<PID namespace>`, so that orphans are recognized. */
export const childOfVariable = 'TRITON_WORKBENCH_CHILD_OF';

/** The owner of a process, and its PID namespace. */
interface ChildOf extends ProcessIdentity {
  readonly pidNamespace: string;
}

export const childOfText = ({ pid, startTime, pidNamespace: namespace }: ChildOf): string =>
  `${pid}.${startTime}.${namespace}`;

/** null for invalid values. */
export function readChildOf(text: string): ChildOf | null {
  const [, pid, startTime, namespace] = /^(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (pid === undefined || startTime === undefined || namespace === undefined) return null;
  return { pid: Number(pid), startTime, pidNamespace: namespace };
}

/** Wait for killed processes; later they can no longer write anything. */
const goneDeadlineMs = 3000;

/** Kills children of dead workbench processes. Skips other PID namespaces, where liveness is unknown. Returns ids. */
export async function endLeftChildren(): Promise<readonly number[]> {
  const here = pidNamespace();
  const isLeft = (text: string): boolean => {
    const workbench = readChildOf(text);
    return workbench !== null && workbench.pidNamespace === here && !isAlive(workbench);
  };
  const find = () => processesAtOnceWhere(childOfVariable, isLeft).filter((pid) => pid !== process.pid);
  return (await endProcesses(find, goneDeadlineMs)).ended;
}
