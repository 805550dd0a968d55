import { describe, expect, it } from 'vitest';
import { createCpuMarks } from '../../../../main/perf/analyzer/run-analyzer';
import { processCpuUs } from '../../../../main/platform/process';

/** Works until the system counts 50 ms more for this process. */
function work(): number {
  const from = processCpuUs(process.pid) ?? NaN;
  for (;;) {
    const now = processCpuUs(process.pid) ?? NaN;
    if (now - from >= 50_000) return now - from;
  }
}

describe('the CPU time of a running process', () => {
  it('is known while it runs, and of no other', () => {
    expect(processCpuUs(process.pid)).toBeGreaterThan(0);
    // Ids end below 2^22 on Linux.
    expect(processCpuUs(2 ** 22 + 1)).toBeNull();
  });

  it('is told for each request, over the last windows but the first of them', () => {
    const clock = { ms: 0 };
    const marks = createCpuMarks(() => clock.ms);
    marks.started(process.pid);
    marks.windowEnded();
    expect(marks.perRequestUs(100)).toBeNull();
    work();
    clock.ms = 1000;
    marks.windowEnded();
    // 50 ms of work in a second with 100 requests: half a millisecond each, and what else this process did.
    expect(marks.perRequestUs(100)).toBeGreaterThanOrEqual(500);
    marks.started(process.pid);
    expect(marks.perRequestUs(100)).toBeNull();
  });

  it('is not told where the windows came at once', () => {
    const marks = createCpuMarks(() => 5);
    marks.started(process.pid);
    marks.windowEnded();
    marks.windowEnded();
    expect(marks.perRequestUs(100)).toBeNull();
  });
});
