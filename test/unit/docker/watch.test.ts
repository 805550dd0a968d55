import { describe, expect, it } from 'vitest';
import { parseEvent } from '../../../main/docker/watch';

// A line of GET /v1.41/events of Docker Engine 20.10.24, as it came; it has both shapes in one.
const captured =
  '{"status":"create","id":"ccb543e97cff7514f782902fd75cf79a2798889d8b4cd13bb4cb5a595224bc95","from":"triton-workbench-test/idle:1","Type":"container","Action":"create","Actor":{"ID":"ccb543e97cff7514f782902fd75cf79a2798889d8b4cd13bb4cb5a595224bc95","Attributes":{"h-faults":"1","image":"triton-workbench-test/idle:1","name":"recursing_mendel"}},"scope":"local","time":1795262252,"timeNano":1795262252713751076}';
const event = JSON.parse(captured) as Record<string, unknown>;
/** API 1.52 and later have no status, id and from; the oldest engines had nothing else (Engine API version history). */
const shapes = {
  both: event,
  new: Object.fromEntries(Object.entries(event).filter(([name]) => !['status', 'id', 'from'].includes(name))),
  old: Object.fromEntries(Object.entries(event).filter(([name]) => ['status', 'id', 'from'].includes(name))),
};

describe('an event of the engine', () => {
  it.each(Object.entries(shapes))('in the shape "%s" tells of a change', (_name, shape) => {
    expect(parseEvent(JSON.stringify(shape))).toBe(true);
  });

  it.each(['exec_create: sh', 'exec_start: sh', 'exec_die', 'top', 'attach', 'resize'])(
    'of kind "%s" changes nothing that a list shows',
    (kind) => {
      expect(parseEvent(JSON.stringify({ ...shapes.new, Action: kind }))).toBe(false);
      expect(parseEvent(JSON.stringify({ ...shapes.old, status: kind }))).toBe(false);
    },
  );

  it('cut anywhere is none', () => {
    for (let end = 0; end < captured.length; end += 1) {
      expect(() => parseEvent(captured.slice(0, end)), `cut at ${end}`).toThrow();
    }
  });

  it.each([
    'null',
    '[]',
    '7',
    '{}',
    '{"Action":"start"}',
    '{"Action":"start","Actor":{}}',
    '{"status":1,"id":"x"}',
  ])('%s is none', (line) => {
    expect(() => parseEvent(line)).toThrow();
  });
});
