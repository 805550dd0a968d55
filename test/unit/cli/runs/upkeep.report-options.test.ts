import { describe, expect, it } from 'vitest';
import { reportChangeOf } from '../../../../main/cli/runs/upkeep';

describe('the options of a report', () => {
  it('change what is given, and nothing else', () => {
    expect(reportChangeOf({})).toEqual({});
    expect(reportChangeOf({ title: '', notes: 'N', logo: 'a.png', without: 'commands, steps' })).toEqual({
      ...{ title: '', notes: 'N', logo: 'a.png', without: ['commands', 'steps'] },
    });
    expect(reportChangeOf({ logo: 'none', sections: 'all' })).toEqual({ logo: null, without: [] });
    expect(reportChangeOf({ sections: 'levels,accuracy' }).without).toEqual([
      ...['environment', 'published', 'parameters', 'steps', 'commands', 'reading'],
    ]);
  });

  it.each([
    [{ sections: 'levels,summary' }, '--sections', /"summary" is not a section/],
    [{ without: 'x' }, '--without', /"x" is not a section/],
    [{ sections: 'all', without: 'steps' }, '--sections', /twice/],
    [{ title: 'x'.repeat(121) }, '--title', /121 characters/],
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
