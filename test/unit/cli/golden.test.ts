import { describe, expect, it } from 'vitest';
import { readRules } from '../../../main/cli/golden';
import type { Core } from '../../../main/core';
import { said } from '../../support/cli-program';
import { rejection } from '../../support/rejection';

describe('the rules of the command line', () => {
  it('are by output, and tolerances of all', () => {
    expect(
      readRules({ compare: ['T=text:case', 'S=ranks:top=5'], atol: ['1e-3', 'Y=0.1'], rtol: ['Y=0.2'] }),
    ).toEqual({
      T: { by: 'text', ignore: ['case'] },
      S: { by: 'ranks', top: 5, overlap: 1 },
      '*': { by: 'numbers', atol: 1e-3, rtol: 1e-4 },
      Y: { by: 'numbers', atol: 0.1, rtol: 0.2 },
    });
    expect(readRules({})).toEqual({});
    expect(readRules({ compare: ['boxes=detections:labels=l'] })).toMatchObject({
      boxes: { by: 'detections', labels: 'l' },
    });
  });

  it.each([
    [{ compare: ['text:case'] }, '"text:case" is not OUTPUT=RULE'],
    [{ compare: ['T=sets'] }, 'T: "sets" is not one of'],
    [{ compare: ['T=text'], atol: ['T=1'] }, 'T is compared by text'],
    [{ atol: ['Y=-1'] }, 'is not a tolerance'],
    [{ rtol: ['=1'] }, 'is not a tolerance'],
    [{ atol: ['Y=x'] }, '"x" is not a number'],
  ])('that are wrong are refused: %j', (options, message) => {
    expect(() => readRules(options)).toThrow(message);
  });
});

it('a source that is neither an address, a deployment nor a run is named as such', async () => {
  const core = {
    handlers: {
      'deployments.list': () => Promise.resolve([]),
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
    },
  } as unknown as Core;
  const error = await rejection(said(core, 'golden', 'record', '--from', 'triton', '--output', 'kept.json'));
  expect(error).toMatchObject({
    ...{ code: 'run-unknown', where: '--from', message: '"triton" is neither a deployment nor a run' },
  });
  expect(error.remedy).toContain('localhost:8000');
});
