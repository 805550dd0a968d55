import { expect, it } from 'vitest';
import type { Searched } from '../../../../main/contract/study/search';
import { createRandom } from '../../../../main/domain/random';
import { nextLooks } from '../../../../main/domain/study/search/next-looks';
import { searchAnswer } from '../../../../main/domain/study/search/search-answer';
import { renderChart } from '../../../../main/reports/charts/render-chart';
import { searchChart } from '../../../../main/reports/charts/search-chart';
import { measure, open } from '../../../support/simulated-search';

function searchedWhole(): Searched {
  const random = createRandom(1);
  let searched: Searched = { looks: [], failed: {} };
  for (let due = nextLooks(open, searched); due.length > 0; due = nextLooks(open, searched)) {
    for (const one of due) {
      const candidate = open.candidates[one.candidate - 1];
      if (candidate === undefined) throw new Error('the search asks for a candidate that it has not');
      searched = { ...searched, looks: [...searched.looks, measure(candidate, one, random)] };
    }
  }
  return searched;
}

it('draws every load, the target, the present configuration and the best one', () => {
  const searched = searchedWhole();
  const chart = searchChart(open, searched, searchAnswer(open, searched));
  if (chart === null) throw new Error('nothing was drawn');
  const drawn = renderChart(chart);
  for (const text of ['Load that is held', 'Present configuration', 'Best configuration', 'p99 (ms)']) {
    expect(drawn).toContain(`>${text}</text>`);
  }
  expect(drawn).toContain('>p99 target 40 ms</text>');
});

it('draws nothing before a load was measured', () => {
  const searched: Searched = { looks: [], failed: {} };
  expect(searchChart(open, searched, searchAnswer(open, searched))).toBeNull();
});
