import { expect, it } from 'vitest';
import { chosenScenarios } from '../../../../scripts/bench/chosen-scenarios';
import { scenarios } from '../../../../scripts/bench/scenarios';
import { titleOf } from '../../../../scripts/bench/table';

it('are all of them, or those whose title holds the text', () => {
  expect(chosenScenarios('')).toEqual(scenarios);
  const http = chosenScenarios('compute, 4 KB, HTTP');
  expect(http.map(titleOf)).toEqual(['compute, 4 KB, HTTP, concurrency 4']);
});

it('are an error with every title where none holds the text, not a bench that meets every goal', () => {
  expect(() => chosenScenarios('nosuch')).toThrow(
    /no scenario has "nosuch"[^]*echo, 4 KB, gRPC, concurrency 1\n/,
  );
});
