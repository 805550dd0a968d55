import { describe, expect, it } from 'vitest';
import { errorCodes, errorText } from '../../../../../main/contract/error-text';
import type { ErrorCode } from '../../../../../main/contract/errors';
import type { RunSpec } from '../../../../../main/contract/run/run-spec';
import { remediesOf } from '../../../../../renderer/views/run/remedies';
import { sourceFixture, specFixture } from '../../../../support/run-state';

const of = (code: ErrorCode, change?: (spec: RunSpec) => void) =>
  remediesOf({ code }, { source: sourceFixture(specFixture(change)), origin: 'own' });

describe('what helps a failed run', () => {
  it('past the accuracy gate: other settings first, or measuring unverified, and no Resume that fails again', () => {
    expect(of('accuracy-below-threshold')).toEqual(['edit', 'measure-unverified']);
  });

  it('with a data set of the user, which may be another one by now: also Resume, behind the others', () => {
    const remedies = of('accuracy-below-threshold', (spec) => (spec.model.dataset = '/data/images'));
    expect(remedies).toEqual(['edit', 'measure-unverified', 'resume']);
  });

  it('whose fixed port is taken: a free one', () => {
    const remedies = of('port-taken', (spec) => (spec.engine = { kind: 'local', httpPort: 8000 }));
    expect(remedies).toEqual(['free-port', 'resume']);
  });

  it('whose free port was taken by another: the next attempt takes another', () => {
    expect(of('port-taken')[0]).toBe('resume');
  });

  it('whose server was gone, or whose level gave nothing: Resume', () => {
    expect(of('server-gone')[0]).toBe('resume');
    expect(of('measurement-failed')[0]).toBe('resume');
  });

  it.each(['spec-invalid', 'model-load-failed', 'combination-unsupported'] as const)(
    '%s: never Resume with the same content',
    (code) => {
      expect(of(code)).not.toContain('resume');
    },
  );

  it('nothing for a run that was not measured here', () => {
    const file = { fileName: 'a.csv', format: 'perf-analyzer-csv', notes: [] } as never;
    const source = { kind: 'imported', file, model: 'bert' } as const;
    expect(remediesOf({ code: 'internal' }, { source, origin: 'own' })).toEqual([]);
  });
});

it.each(errorCodes)('the remedy of %s, which the window shows, names no command line', (code) => {
  expect(errorText[code].remedy).not.toMatch(/npm run|(^|\s)--[a-z]/);
});
