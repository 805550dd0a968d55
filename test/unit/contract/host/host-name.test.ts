import { expect, it } from 'vitest';
import { readHostNames } from '../../../../main/contract/host/host-name';

it.each([
  [['a,b'], ['a', 'b']],
  [
    ['a', 'b, local'],
    ['a', 'b', 'local'],
  ],
  [['a b a'], ['a', 'b']],
  [['all'], ['all']],
  [['all,local'], ['all', 'local']],
])('reads %j as names of hosts', (texts, names) => {
  expect(readHostNames(texts)).toEqual(names);
});

it.each([
  [[], 'No host is named'],
  [[' , '], 'No host is named'],
  [['Gpu1'], '"Gpu1" is not the name of a host'],
  [['ssh://a'], '"ssh://a" is not the name of a host'],
  [['all,a'], '"all" already names every host'],
])('refuses %j', (texts, problem) => {
  expect(readHostNames(texts)).toBe(problem);
});
