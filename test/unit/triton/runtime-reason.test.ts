import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runtimeReason } from '../../../main/triton/runtime-reason';

interface Case {
  readonly error: string;
  readonly reason: string;
}

const cases = JSON.parse(readFileSync('test/fixtures/runtime-reasons.json', 'utf8')) as readonly Case[];

it.each(cases)('the reason comes first: $reason', ({ error, reason }) => {
  expect(runtimeReason(error)).toBe(reason);
});
