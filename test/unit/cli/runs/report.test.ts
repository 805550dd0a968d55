import { describe, expect, it } from 'vitest';
import { reportChangeOf, requireReportFile } from '../../../../main/cli/runs/report';

describe('the options of a report', () => {
  it('change what is given, and nothing else', () => {
    expect(reportChangeOf({})).toEqual({});
    expect(reportChangeOf({ title: '', notes: 'N', logo: 'a.png', without: 'commands, steps' })).toEqual({
      ...{ title: '', notes: 'N', logo: 'a.png', without: ['steps', 'commands'] },
    });
    expect(reportChangeOf({ logo: 'none', sections: 'all' })).toEqual({ logo: null, without: [] });
    expect(reportChangeOf({ sections: 'levels,accuracy' }).without).toEqual([
      ...['published', 'environment', 'parameters', 'steps', 'reading', 'commands'],
    ]);
    expect(reportChangeOf({ customer: 'ACME', author: 'Jane Doe' })).toEqual({
      ...{ customer: 'ACME', author: 'Jane Doe' },
    });
  });

  it('name a part of a report for all of its sections', () => {
    const record = ['environment', 'parameters', 'steps', 'reading', 'commands'];
    expect(reportChangeOf({ sections: 'summary, results' }).without).toEqual(record);
    expect(reportChangeOf({ without: 'record, steps' }).without).toEqual(record);
    expect(reportChangeOf({ sections: 'summary' }).without).toHaveLength(8);
  });

  it('are refused where no report is written', () => {
    expect(requireReportFile({}, '--out FILE')).toEqual({});
    for (const [options, where] of [
      [{ customer: 'ACME' }, '--customer'],
      [{ sections: 'results' }, '--sections'],
    ] as const)
      expect(() => requireReportFile(options, '--out FILE')).toThrow(
        expect.objectContaining({ code: 'input-invalid', where, remedy: 'Add --out FILE.' }),
      );
  });

  it.each([
    [{ sections: 'levels,answer' }, '--sections', /"answer" is not a section/],
    [{ without: 'x' }, '--without', /"x" is not a section/],
    [{ sections: 'all', without: 'steps' }, '--sections', /cannot be used together/],
    [{ title: 'x'.repeat(121) }, '--title', /121 characters/],
    [{ customer: 'x'.repeat(121) }, '--customer', /121 characters/],
  ])('refuse %j', (options, where, message) => {
    expect(() => reportChangeOf(options)).toThrow(
      expect.objectContaining({
        code: 'input-invalid',
        where,
        message: expect.stringMatching(message) as string,
      }),
    );
  });
});
