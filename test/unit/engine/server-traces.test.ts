import { expect, it } from 'vitest';
import { isTraceFile, traceFileName, traceOption } from '../../../main/engine/server-traces';

it('knows the files that Triton writes beside the one that it was started with', () => {
  expect(traceOption(`/run/${traceFileName}`)).toBe('--trace-config=triton,file=/run/trace.json');
  expect(['trace.json.0', 'trace.json.12'].every(isTraceFile)).toBe(true);
  expect(['trace.json', 'trace.json.x', 'other.json.0', 'trace.json.0.tmp'].some(isTraceFile)).toBe(false);
});
