import { describe, expect, it } from 'vitest';
import { type Begun, planAnswer } from '../../../main/data/save-body';

const begun: Begun = { bytes: 200, validator: '"a"', total: 1000 };
const plan = (status: number, headers: Record<string, string>, part: Begun | null = begun) =>
  planAnswer({ status, headers: new Headers(headers) }, part);
const range = { 'content-range': 'bytes 200-999/1000', etag: '"a"' };

describe('planAnswer', () => {
  it.each([
    ['the rest as asked', 206, range, { kind: 'take', from: 200, total: 1000, validator: '"a"' }],
    ['the rest without a word on its content', 206, { 'content-range': 'bytes 200-999/1000' }, { from: 200 }],
    ['the rest of another content', 206, { ...range, etag: '"b"' }, { kind: 'anew' }],
    ['another part than asked', 206, { 'content-range': 'bytes 0-999/1000' }, { kind: 'anew' }],
    ['the rest of a file of another size', 206, { 'content-range': 'bytes 200-1099/1100' }, { kind: 'anew' }],
    ['the rest, compressed', 206, { ...range, 'content-encoding': 'gzip' }, { kind: 'anew' }],
    ['a part of nobody knows what', 206, {}, { kind: 'anew' }],
    ['nothing more of a longer file', 416, { 'content-range': 'bytes */1000' }, { kind: 'anew' }],
    ['all of it', 200, { 'content-length': '1000', etag: '"b"' }, { from: 0, total: 1000, validator: '"b"' }],
    ['all, of a weak name', 200, { 'content-length': '1000', etag: 'W/"b"' }, { from: 0, validator: '' }],
    ['all, named by its date', 200, { 'last-modified': 'Mon' }, { total: null, validator: 'Mon' }],
    [
      'all, compressed',
      200,
      { 'content-length': '9', 'content-encoding': 'gzip' },
      { total: null, validator: '' },
    ],
  ])('%s', (_name, status, headers, expected) => {
    expect(plan(status, headers as Record<string, string>)).toMatchObject(expected);
  });

  it('knows a part that is the whole', () => {
    const whole = { ...begun, bytes: 1000 };
    expect(plan(416, { 'content-range': 'bytes */1000' }, whole)).toEqual({ kind: 'whole' });
  });

  it('refuses a part that was not asked for', () => {
    expect(plan(206, range, null)).toMatchObject({ kind: 'refuse', again: false });
  });

  it.each([
    [401, false, 'account'],
    [403, false, 'account'],
    [404, false, 'new address'],
    [429, true, undefined],
    [503, true, undefined],
  ])('status %i: another try %s', (status, again, remedy) => {
    const refused = plan(status, {}, null);
    expect(refused).toMatchObject({ kind: 'refuse', again });
    if (refused.kind !== 'refuse') throw new Error('not refused');
    if (remedy === undefined) expect(refused.error.remedy).toBeUndefined();
    else expect(refused.error.remedy).toContain(remedy);
  });
});
