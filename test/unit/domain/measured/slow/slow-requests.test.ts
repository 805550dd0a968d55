import { expect, it } from 'vitest';
import { slowRequestsOf } from '../../../../../main/domain/measured/slow/slow-requests';
import type { TracedSpan } from '../../../../../main/domain/measured/slow/traced-span';
import { httpStamps } from '../../../../support/triton-trace';

const request = (
  model: string,
  queueUs: number,
  inferUs: number,
  requestId: string | null = null,
): TracedSpan => ({
  ...{ model, requestId, children: [] },
  marks: Object.entries(httpStamps(0, queueUs, inferUs)).map(([name, atUs]) => ({ name, atUs })),
});

it('sets the slowest twentieth beside the requests around the median, and both add up', () => {
  const spans = Array.from({ length: 100 }, (_one, at) => request('m', at < 95 ? at : 5000, 100));
  const [slow] = slowRequestsOf(spans);
  expect(slow).toMatchObject({
    ...{ model: 'm', protocol: 'http', requests: 100, incomplete: 0, slowCount: 5, medianCount: 20 },
    slowUs: 5170,
  });
  for (const group of ['medianUs', 'slowUs'] as const) {
    const sum = (slow?.parts ?? []).reduce((all, part) => all + part[group], 0);
    expect(sum).toBeCloseTo(slow?.[group] ?? 0, 6);
  }
  const queue = slow?.parts.find(({ phase }) => phase === 'queue');
  expect(queue?.slowUs).toBeCloseTo(5000, 6);
  expect(queue?.medianUs).toBeCloseTo(49.5, 6);
  expect(slow?.slowest).toHaveLength(10);
});

it('lists the slowest first, with their ids and longest parts', () => {
  const [slow] = slowRequestsOf([
    request('m', 1, 300, 'a'),
    request('m', 900, 100, 'b'),
    request('m', 1, 100),
  ]);
  expect(slow?.slowest.map(({ requestId, longest }) => [requestId, longest.phase])).toEqual([
    ['b', 'queue'],
    ['a', 'infer'],
    [null, 'infer'],
  ]);
});

it('has an entry per requested model, and counts requests that are not complete', () => {
  const open = { ...request('b', 1, 1), marks: [] };
  const found = slowRequestsOf([request('a', 1, 1), request('b', 1, 1), request('b', 1, 1), open]);
  expect(found.map(({ model, requests, incomplete }) => [model, requests, incomplete])).toEqual([
    ['b', 2, 1],
    ['a', 1, 0],
  ]);
  expect(slowRequestsOf([open])).toEqual([]);
});

it('orders parts as a request passes them', () => {
  const [slow] = slowRequestsOf([request('m', 5, 5)]);
  expect(slow?.parts.map(({ phase }) => phase)).toEqual([
    ...['receive', 'queue', 'input', 'infer', 'output', 'send', 'other'],
  ]);
});
