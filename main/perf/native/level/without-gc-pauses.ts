import { setFlagsFromString } from 'node:v8';

let sessions = 0;

/**
 * V8 marks and compacts a heap that hardly grows, some seconds after its start and several times over: while a level is
 * measured that is load which the server feels, for memory that nobody misses. Heaps of threads that start from now on
 * are left alone, until all that called it have called what it returns.
 */
export function withoutGcPauses(): () => void {
  sessions += 1;
  if (sessions === 1) setFlagsFromString('--no-memory-reducer');
  return () => {
    sessions -= 1;
    if (sessions === 0) setFlagsFromString('--memory-reducer');
  };
}
