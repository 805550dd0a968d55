import { describe, expect, it } from 'vitest';
import type { JointStrategy } from '../../../../main/contract/study/joint';
import type { Searched } from '../../../../main/contract/study/search';
import { factorOf, viewOf, winnerOf } from '../../../../main/domain/study/joint/joint-sets';
import { nextJointLooks } from '../../../../main/studies/strategies/joint';
import { joint, picksIn, searchJoint } from '../../../support/simulated-joint';

const secondsIn = ({ looks }: Searched): number => looks.reduce((sum, { seconds }) => sum + seconds, 0);
const winnerIn = (asked: JointStrategy, searched: Searched) => winnerOf(asked, viewOf(asked, searched));

describe('the most load of several models', () => {
  it('every look is of all models, each at its rate times one factor', () => {
    const { dues } = searchJoint(joint);
    for (const due of dues) {
      const all = [due, ...(due.beside ?? [])];
      expect(all).toHaveLength(2);
      const [resnet, bert] = all.toSorted((one, other) => one.candidate - other.candidate);
      const rateOf = (one: typeof resnet) =>
        one !== undefined && 'requestRate' in one.load ? one.load.requestRate : 0;
      expect(rateOf(resnet) / rateOf(bert)).toBeCloseTo(2, 9);
    }
  });

  it('begins with the present set at the given rates, and ends with the best and the present one in turns', () => {
    const { looks } = searchJoint(joint);
    expect(picksIn(looks[0] as (typeof looks)[number])).toEqual([1, 4]);
    expect(factorOf(joint, looks[0] as (typeof looks)[number])).toBeCloseTo(1, 9);
    const last = looks.filter(({ phase }) => phase === 'confirm');
    expect(last.map((look) => picksIn(look).join('+'))).toEqual(
      Array.from({ length: 5 }, () => ['3+4', '1+4']).flat(),
    );
    expect(last.every(({ seconds }) => seconds === joint.fullMs / 1000)).toBe(true);
  });

  it('gives the limiting model more instances, and promises two steps less than was held for a moment', () => {
    const searched = searchJoint(joint);
    expect(winnerIn(joint, searched)).toMatchObject({ picks: [3, 4], instances: 6, changes: 1 });
    const { arm } = winnerIn(joint, searched) ?? {};
    expect(arm).toMatchObject({ highest: 21, beyond: 22, best: 19, value: 2.53 });
  });

  it('tries another configuration of the model that limits first', () => {
    const { dues } = searchJoint(joint);
    const [first] = dues.filter(({ candidate }) => candidate !== 1);
    expect(first?.candidate).toBe(2);
  });

  it('within noise it finds nearly the best, and never exceeds the budget', () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const searched = searchJoint(joint, { noise: 0.1, seed });
      expect(secondsIn(searched)).toBeLessThanOrEqual(joint.budgetS);
      expect(winnerIn(joint, searched)?.picks[0]).not.toBe(1);
      expect(winnerIn(joint, searched)?.arm.value).toBeGreaterThan(0.85 * 2.53);
    }
  });

  it('measures longer where a low load would have no request of a model', () => {
    const rare = { ...joint, models: joint.models.map((model) => ({ ...model, rate: 2, latencyUs: 4000 })) };
    const [first, ...others] = searchJoint(rare).dues;
    expect(first?.ms).toBe(3750);
    expect(others.every(({ ms }) => ms > 3750 && ms <= 10_000)).toBe(true);
  });

  it('a budget that ends early still compares the best set so far at full length', () => {
    const short = { ...joint, budgetS: 60 };
    const searched = searchJoint(short);
    expect(secondsIn(searched)).toBeLessThanOrEqual(60);
    expect(searched.looks.at(-1)?.phase).toBe('confirm');
    expect(winnerIn(short, searched)).not.toBeNull();
  });

  it('continues from its looks: what is due does not depend on who made them', () => {
    const { looks, failed } = searchJoint(joint);
    for (const count of [0, 1, 5, 12, looks.length - 3]) {
      const earlier = { looks: looks.slice(0, count), failed };
      const [due] = nextJointLooks(joint, earlier);
      expect(due).toBeDefined();
    }
    expect(nextJointLooks(joint, { looks, failed })).toEqual([]);
  });

  it('a configuration that cannot be served is left out, the present one too', () => {
    const without = searchJoint(joint, { fault: [2] });
    expect(without.looks.flatMap(picksIn)).not.toContain(2);
    expect(winnerIn(joint, without)?.picks).toEqual([3, 4]);
    const withoutPresent = searchJoint(joint, { fault: [1] });
    expect(picksIn(withoutPresent.looks[0] as (typeof without.looks)[number])).toEqual([2, 4]);
    expect(winnerIn(joint, withoutPresent)?.picks).toEqual([3, 4]);
    expect(
      nextJointLooks(joint, { looks: [], failed: searchJoint(joint, { fault: [1, 2, 3] }).failed }),
    ).toEqual([]);
  });

  it('where no load is held within the targets it ends without a best set', () => {
    const impatient = { ...joint, models: joint.models.map((model) => ({ ...model, latencyUs: 4000 })) };
    const searched = searchJoint(impatient);
    expect(winnerIn(impatient, searched)).toBeNull();
    expect(secondsIn(searched)).toBeLessThan(60);
  });

  it('of a mix the factor is inferences/s in all', () => {
    const mix = { ...joint, isMix: true, models: joint.models.map((model) => ({ ...model, rate: 0.5 })) };
    const searched = searchJoint(mix);
    expect(winnerIn(mix, searched)).toMatchObject({ picks: [2, 4] });
    expect(winnerIn(mix, searched)?.arm.value).toBe(366);
  });

  it('a set above the memory limit is not measured once what it takes is known', () => {
    const limited: JointStrategy = { ...joint, memory: { hostBytes: 100 } };
    const { looks, failed } = searchJoint(joint);
    const memory = {
      1: { hostBytes: 40, gpuBytes: null },
      3: { hostBytes: 70, gpuBytes: null },
      4: { hostBytes: 50, gpuBytes: null },
    };
    const view = viewOf(limited, { looks, failed, memory });
    expect(view.sets.map(({ picks }) => picks.join('+'))).toContain('1+4');
    expect(view.sets.map(({ picks }) => picks.join('+'))).not.toContain('3+4');
  });
});

describe('the fewest instances', () => {
  const cheapest: JointStrategy = { ...joint, objective: 'instances' };

  it('holds the rates with fewer instances than the present set', () => {
    const searched = searchJoint(cheapest);
    const winner = winnerIn(cheapest, searched);
    expect(winner).toMatchObject({ picks: [2, 5], instances: 3 });
    expect(winner?.arm.best).toBeGreaterThanOrEqual(0);
    const confirmed = searched.looks
      .filter(({ phase }) => phase === 'confirm')
      .map((look) => factorOf(joint, look));
    expect(confirmed[0]).toBeCloseTo(1, 9);
  });

  it('where the rates are not held it says the most that is', () => {
    const busy = { ...cheapest, models: joint.models.map((model) => ({ ...model, rate: model.rate * 4 })) };
    const winner = winnerIn(busy, searchJoint(busy));
    expect(winner?.arm.value).toBeLessThan(1);
  });
});
