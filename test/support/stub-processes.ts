import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of the Python stubs that this tritonserver has started. */
export function stubsOf(serverPid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The name may hold blanks and brackets; the state and the parent follow its last bracket.
        const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
        return Number(parent) === serverPid && stat.includes('(triton_python_');
      } catch {
        return false;
      }
    })
    .map(Number);
}
