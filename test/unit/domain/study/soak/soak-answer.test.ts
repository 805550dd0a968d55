import { describe, expect, it } from 'vitest';
import { soakAnswer } from '../../../../../main/domain/study/soak/soak-answer';
import { reading, soaked, soakStrategy } from '../../../../support/soaked';

const answer = (
  of: Parameters<typeof soaked>[0],
  how?: Parameters<typeof soaked>[1],
  criteria: string[] = [],
) => soakAnswer(soakStrategy({ criteria }), soaked(of, how), null);

describe('soakAnswer', () => {
  it('names the Python stub that grows, per 1,000 requests with its interval', () => {
    const { verdict, culprits, sentence, loadSentence } = answer({ stub: 600_000 });
    expect(verdict).toBe('grows');
    expect(culprits.map(({ row, figure }) => [row.key, figure])).toEqual([['stub ocr', 'rss']]);
    expect(sentence).toMatch(
      /^The Python stub of ocr grows by (0\.99|1\.00|1\.01)\d* MB per 1,000 requests \[0\.9\d+, 1\.0\d+\], 3[56]\.\d+ MB per hour at this load$/,
    );
    expect(loadSentence).toBe(
      '12,000 requests at 10.00 inferences/s, p99 12.00 ms at first, 12.30 ms at the end',
    );
  });

  it('names Triton itself, per reload where the model is loaded anew', () => {
    const { culprits, sentence } = answer({ server: 2_000_000 }, { reloads: 4 });
    expect(culprits.map(({ row }) => row.key)).toEqual(['server']);
    expect(sentence).toMatch(
      /^Triton itself grows by 0\.(49|50)\d* MB per reload \[0\.(49|50)\d*, 0\.50\d*\], 1[12]\d\.\d MB per hour/,
    );
  });

  it('says since when it is flat, and how much it may grow at most', () => {
    const { verdict, culprits, sentence } = answer({});
    expect({ verdict, culprits }).toEqual({ verdict: 'flat', culprits: [] });
    expect(sentence).toMatch(
      /^Flat since minute \d: no process of the server grows by more than 0\.\d+ MB per hour$/,
    );
  });

  it('is inconclusive in one sentence where what grew may have stopped', () => {
    const { blocks, slices } = soaked({});
    const risen = blocks.map((block, at) => ({
      ...block,
      readings: [reading({ rss: 2e8 + 0.6e6 * at + 8e6 * Math.sin(at * 2.4) })],
    }));
    const { verdict, sentence } = soakAnswer(soakStrategy(), { blocks: risen, slices }, null);
    expect(verdict).toBe('unclear');
    expect(sentence).toMatch(
      /^Inconclusive: Triton itself grew by [^;]+, and may have stopped: soak longer to find out$/,
    );
  });

  it('puts what grows most first', () => {
    const { culprits } = answer({ server: 300_000, stub: 900_000 });
    expect(culprits.map(({ row }) => row.role)).toEqual(['stub', 'server']);
  });

  it('does not blame the server for the load generator', () => {
    const { verdict, notes } = answer({ client: 900_000 });
    expect(verdict).toBe('flat');
    expect(notes.join()).toContain('The load generator itself grows by');
  });

  it('finds open handles, GPU memory and shared memory that grow', () => {
    const { blocks, slices } = soaked({});
    const grown = blocks.map((block, at) => ({
      ...block,
      readings: [reading({ handles: 60 + 2 * at, gpu: 1e9 + 3e6 * at, shm: 1e6 + 2e6 * at })],
    }));
    const { culprits, sentence } = soakAnswer(soakStrategy(), { blocks: grown, slices }, null);
    expect(culprits.map(({ figure }) => figure)).toEqual(['gpu', 'shm', 'handles']);
    expect(sentence).toContain('MB of GPU memory per 1,000 requests');
    expect(sentence).toContain('MB in /dev/shm per 1,000 requests');
    expect(sentence).toContain('open handles per 1,000 requests');
  });

  it('says what is missing of a machine whose processes cannot be read', () => {
    const { blocks, slices } = soaked({});
    const machine = blocks.map((block) => ({
      ...block,
      readings: [reading({ role: 'machine', threads: null, handles: null, shm: null })],
    }));
    const { notes, verdict } = soakAnswer(soakStrategy(), { blocks: machine, slices }, null);
    expect(verdict).toBe('flat');
    expect(notes.join()).toContain('its metrics report the memory of the whole machine');
  });

  it('tells nothing before enough was read', () => {
    expect(answer({ stub: 1e6 }, { minutes: 3 }).sentence).toBe(
      'Too few readings yet to judge whether memory grows',
    );
    const nothing = soakAnswer(soakStrategy(), { blocks: [], slices: [] }, null);
    expect(nothing).toMatchObject({ verdict: 'unknown', loadSentence: null, soakedMs: 0 });
  });

  it('counts failed requests', () => {
    const { blocks, slices } = soaked({});
    const failing = slices.map((slice) => ({ ...slice, errors: 5 }));
    const { loadSentence } = soakAnswer(soakStrategy(), { blocks, slices: failing }, null);
    expect(loadSentence).toContain('; 20 of 12,020 requests failed');
  });

  it('counts refused requests apart from failed ones', () => {
    const { blocks, slices } = soaked({});
    const refusing = slices.map((slice) => ({ ...slice, refused: 2 }));
    const { loadSentence, errors, refused } = soakAnswer(soakStrategy(), { blocks, slices: refusing }, null);
    expect({ errors, refused }).toEqual({ errors: 0, refused: 8 });
    expect(loadSentence).toContain('; 8 of 12,008 requests were refused');
  });

  it('is inconclusive where no request was answered, whatever memory did', () => {
    const { blocks, slices } = soaked({});
    const failing = slices.map((slice) => ({
      ...slice,
      requests: 0,
      errors: 3000,
      p50Us: null,
      p99Us: null,
    }));
    const strategy = soakStrategy({ criteria: ['rss-slope>5MB/h'] });
    const { verdict, outcome, sentence } = soakAnswer(strategy, { blocks, slices: failing }, null);
    expect({ verdict, outcome }).toEqual({ verdict: 'unknown', outcome: 'unclear' });
    expect(sentence).toBe('Inconclusive: no request was answered, so memory was not read under load');
    const leaking = soakAnswer(strategy, { blocks: soaked({ stub: 600_000 }).blocks, slices: failing }, null);
    expect(leaking).toMatchObject({ verdict: 'grows', outcome: 'outside' });
  });

  it('judges the criteria by the process that does worst', () => {
    const outside = answer({ stub: 600_000 }, {}, ['rss-slope>1MB/h', 'rss-slope>2MB/1000']);
    expect(outside.outcome).toBe('outside');
    expect(outside.judged.map(({ outcome, row }) => [outcome, row?.key])).toEqual([
      ['outside', 'stub ocr'],
      ['within', 'stub ocr'],
    ]);
    expect(answer({}, {}, ['rss-slope>5MB/h']).outcome).toBe('within');
    expect(answer({}, {}, ['gpu-slope>5MB/h']).outcome).toBe('unclear');
    expect(answer({ client: 900_000 }, {}, ['rss-slope>5MB/h']).outcome).toBe('within');
    expect(answer({}, { minutes: 3 }, ['rss-slope>5MB/h']).outcome).toBe('unclear');
    expect(answer({}).outcome).toBeNull();
  });
});
