import { expect, it } from 'vitest';
import { OutcomeRecorder } from '../../../../../main/perf/native/windows/outcome-recorder';

it('keeps what each request came to, from the start of the first window on, beyond its first room too', () => {
  const recorder = new OutcomeRecorder();
  recorder.begin(1000);
  for (let index = 0; index < 10_000; index += 1) recorder.add(1000 + index, 1500 + index, index % 3);
  const { dueUs, latencyUs, kinds } = recorder.data();
  expect([dueUs.length, latencyUs.length, kinds.length]).toEqual([10_000, 10_000, 10_000]);
  expect([dueUs[9999], latencyUs[9999], kinds[9998]]).toEqual([9999, 500, 2]);
  recorder.begin(1000);
  expect(recorder.data().kinds).toHaveLength(0);
});
