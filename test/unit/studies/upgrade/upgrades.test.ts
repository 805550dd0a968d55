import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { UpgradeNumber, UpgradeStrategy } from '../../../../main/contract/study/upgrade';
import { answerOfUpgrade } from '../../../../main/domain/study/upgrade/upgrade-study';
import { ActiveStudies, createStudyStops } from '../../../../main/studies/study-hands';
import { StudyStore } from '../../../../main/studies/study-store';
import { type ServedSide, Upgrades } from '../../../../main/studies/upgrade/upgrades';
import type { Tensor } from '../../../../main/triton/tensor';
import { loadOf, servedOf, upgradeStrategy } from '../../../support/upgraded';

let root: string;
let studies: StudyStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-upgrades-'));
  studies = new StudyStore(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const short = upgradeStrategy({ budgetS: 30, loads: 2 });
const specOf = (upgrade: UpgradeStrategy) => ({
  ...{ name: 'next', strategy: { ...upgrade, trials: [] }, hosts: null },
});

const request = (rows: number): Tensor => ({
  ...{ name: 'x', datatype: 'FP32', shape: [rows, 1] },
  data: new Uint8Array(new Float32Array(rows).fill(1).buffer),
});

interface Faults {
  /** Added to each value, by side and rows. */
  readonly offset?: (side: UpgradeNumber, rows: number) => number;
  readonly opening?: Partial<Record<UpgradeNumber, WorkbenchError>>;
  readonly loading?: Partial<Record<UpgradeNumber, WorkbenchError>>;
  readonly onLook?: () => void;
}

/** Sides that answer and measure what they are told to. */
function served(faults: Faults = {}) {
  const noted = { opened: [] as number[], loads: [] as number[], looks: [] as number[], closed: 0 };
  const sideOf = (side: UpgradeNumber): ServedSide => {
    const { place, startMs } = servedOf(side, side === 1 ? '2.51.0' : '2.71.0');
    return {
      about: { place, startMs },
      // Nothing of it is used but by the measurement.
      served: { modelName: `side-${side}` } as ServedSide['served'],
      ask: ([first]) => {
        const rows = first?.shape[0] ?? 1;
        const value = 1 + (faults.offset?.(side, rows) ?? 0);
        const data = new Uint8Array(new Float32Array(rows).fill(value).buffer);
        return Promise.resolve([{ name: 'logits', datatype: 'FP32', shape: [rows, 1], data }]);
      },
      checkReference: () => Promise.resolve({ samples: 4, difference: null }),
      load: () => {
        noted.loads.push(side);
        const error = faults.loading?.[side];
        return error === undefined ? Promise.resolve(loadOf(side)) : Promise.reject(error);
      },
    };
  };
  const upgrades = new Upgrades({
    ...{ studies, active: new ActiveStudies(), onEntry: () => undefined },
    withSides: async (_upgrade, _place, work) => {
      try {
        await work({
          requestsOf: (batchSize) => Promise.resolve([[request(batchSize)]]),
          rules: {},
          open: (side) => {
            noted.opened.push(side);
            const error = faults.opening?.[side];
            return error === undefined ? Promise.resolve(sideOf(side)) : Promise.reject(error);
          },
          measure: ({ candidate, phase, load, ms }, { modelName }) => {
            faults.onLook?.();
            noted.looks.push(candidate);
            expect(modelName).toBe(`side-${candidate}`);
            return Promise.resolve({
              ...{ candidate, phase, load, seconds: ms / 1000, errorCount: 0, requestCount: 100 },
              inferencesPerSecond: 1000 + noted.looks.length,
              ...{ latencyUs: 10_000 + noted.looks.length, meanServerBatch: null, serverQueueUs: null },
            });
          },
        });
      } finally {
        noted.closed += 1;
      }
    },
  });
  return { upgrades, noted };
}

async function ended(
  upgrades: Upgrades,
  upgrade: UpgradeStrategy,
  resume = false,
  stops = createStudyStops(),
) {
  await (
    await upgrades.begin(specOf(upgrade), { resume, stops })
  ).end;
  const study = await studies.load('next');
  if (study === null) throw new Error('It has no journal');
  return { study, answer: answerOfUpgrade(study, upgrade) };
}

describe('an upgrade', () => {
  it('compares outputs, loads both in turns, then measures both in turns, and gives all back', async () => {
    const { upgrades, noted } = served();
    const { study, answer } = await ended(upgrades, short);
    expect(study.outcome).toBe('done');
    expect(answer.verdict).toBe('may-move');
    expect(noted).toMatchObject({ opened: [1, 2], loads: [1, 2, 2, 1], closed: 1 });
    expect(noted.looks.slice(0, 4)).toEqual([1, 2, 2, 1]);
    expect(study.upgraded?.outputs?.between.map(({ batchSize }) => batchSize)).toEqual([1, 8]);
    expect(answer.rows.map(({ tritonVersion }) => tritonVersion)).toEqual(['2.51.0', '2.71.0']);
  });

  it('ends at outputs that differ, at one batch size only, before anything is loaded again', async () => {
    const { upgrades, noted } = served({ offset: (side, rows) => (side === 2 && rows === 8 ? 0.01 : 0) });
    const { study, answer } = await ended(upgrades, short);
    expect(study.outcome).toBe('done');
    expect(answer.sentence).toBe('Do not move: output logits differs by 0.01 at batch 8');
    expect(noted).toMatchObject({ loads: [], looks: [], closed: 1 });
  });

  it('starts nothing where the files cannot be served there', async () => {
    const { upgrades, noted } = served();
    const findings = [{ about: 'backend' as const, text: 'release 26.07 has no backend "x"', blocks: true }];
    const { study, answer } = await ended(upgrades, { ...short, findings });
    expect(study.outcome).toBe('done');
    expect(answer.verdict).toBe('do-not-move');
    expect(noted.opened).toEqual([]);
  });

  it('answers with what keeps the other one from serving, and fails where the present one does not', async () => {
    const error = new WorkbenchError('model-load-failed', 'Triton could not load ocr');
    const other = served({ opening: { 2: error } });
    const { study, answer } = await ended(other.upgrades, short);
    expect([study.outcome, answer.outcome]).toEqual(['done', 'outside']);
    expect(answer.sentence).toContain('release 26.07 cannot serve it: Triton could not load ocr');
    await studies.remove('next', { runsStay: false });
    const present = served({ loading: { 1: error } });
    const failed = await ended(present.upgrades, short);
    expect([failed.study.outcome, failed.answer.outcome]).toEqual(['failed', null]);
    expect(present.noted.closed).toBe(1);
  });

  it('tries the present side again when it is continued, but not the other one', async () => {
    const error = new WorkbenchError('server-start-failed', 'Port 8000 is taken');
    expect((await ended(served({ opening: { 1: error } }).upgrades, short)).study.outcome).toBe('failed');
    const free = served();
    const { study, answer } = await ended(free.upgrades, short, true);
    expect([study.outcome, study.searched.failed, answer.verdict]).toEqual(['done', {}, 'may-move']);
    await studies.remove('next', { runsStay: false });
    await ended(served({ opening: { 2: error } }).upgrades, short);
    const other = served();
    expect((await ended(other.upgrades, short, true)).answer.verdict).toBe('do-not-move');
    expect(other.noted.opened).toEqual([]);
  });

  it('fails as a whole where the machine is to blame', async () => {
    const error = new WorkbenchError('disk-full', 'The disk is full');
    const { upgrades } = served({ opening: { 2: error } });
    const { end } = await upgrades.begin(specOf(short), { resume: false });
    await expect(end).rejects.toThrow('The disk is full');
    expect((await studies.load('next'))?.outcome).toBe('failed');
  });

  it('pauses between two looks, and continues with what it has', async () => {
    const stops = createStudyStops();
    const first = served({ onLook: () => stops.pause.abort() });
    const paused = await ended(first.upgrades, short, false, stops);
    expect(paused.study.outcome).toBe('paused');
    expect(first.noted.looks).toEqual([1]);
    const second = served();
    const { study, answer } = await ended(second.upgrades, short, true);
    expect([study.outcome, answer.verdict]).toEqual(['done', 'may-move']);
    // Neither outputs nor loads are made again.
    expect(second.noted.loads).toEqual([]);
    expect(second.noted.looks[0]).toBe(2);
  });

  it('is cancelled, and refuses a study of another kind', async () => {
    const stops = createStudyStops();
    const { upgrades } = served({ onLook: () => stops.cancel.abort() });
    expect((await ended(upgrades, short, false, stops)).study.outcome).toBe('cancelled');
    const other = { name: 'other', strategy: { kind: 'matrix', trials: [] }, hosts: null };
    await expect((await upgrades.begin(other, { resume: false })).end).rejects.toThrow(/not an upgrade/);
  });
});
